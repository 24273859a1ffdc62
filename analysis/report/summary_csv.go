package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"edgebench/analysis"
)

// SummaryCSV writes one row for the run, for each phase, each function and each
// path (of the run, then phase.path of measured phases): counts, rates and times.
// What was not measured is empty.
func SummaryCSV(w io.Writer, s *analysis.Summary) error {
	head := []string{"scope", "cycle", "name", "planned", "scheduled", "sent", "dropped", "ok", "errors", "open_at_end",
		"offered_rps", "sent_rps", "ok_rps", "cold_truth", "cold_threshold"}
	for _, metric := range []string{"response", "service", "lag"} {
		for _, of := range []string{"n", "min_ns", "mean_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns"} {
			head = append(head, metric+"_"+of)
		}
	}
	rows := [][]string{head, csvRow("run", "", "", &s.Account)}
	for i := range s.Phases {
		p := &s.Phases[i]
		rows = append(rows, csvRow("phase", strconv.Itoa(p.Cycle), p.Name, &p.Account))
	}
	for i := range s.Functions {
		rows = append(rows, csvRow("function", "", s.Functions[i].Name, &s.Functions[i].Account))
	}
	for i := range s.PathTimes {
		rows = append(rows, pathRow(&s.PathTimes[i]))
	}
	out := csv.NewWriter(w)
	_ = out.WriteAll(rows) // Error tells it
	return out.Error()
}

func csvRow(scope, cycle, name string, a *analysis.Account) []string {
	c := a.Counts
	row := []string{scope, cycle, name}
	for _, n := range []uint64{c.Planned, c.Scheduled, c.Sent, c.Dropped, c.OK, c.Errors, c.OpenAtEnd} {
		row = append(row, strconv.FormatUint(n, 10))
	}
	row = append(row, cell(a.Rate.OfferedRPS), cell(a.Rate.SentRPS), cell(a.Rate.OKRPS), countCell(a.Cold.Truth), countCell(a.Cold.ByThreshold))
	return append(row, timeCells(a.Response, a.Service, a.Lag)...)
}

// pathRow has no counts but ok: what failed took no path, and lag knows none.
func pathRow(t *analysis.PathTimes) []string {
	name := t.Path
	if t.Phase != "" {
		name = t.Phase + "." + t.Path
	}
	row := []string{"path", "", name, "", "", "", "", strconv.FormatUint(t.OK, 10), "", "", "", "", "", "", ""}
	return append(row, timeCells(t.Response, t.Service, analysis.Distribution{})...)
}

func timeCells(distributions ...analysis.Distribution) (cells []string) {
	for _, d := range distributions {
		cells = append(cells, strconv.FormatUint(d.N, 10))
		for _, ns := range []*int64{d.MinNS, d.MeanNS, d.P50NS, d.P90NS, d.P95NS, d.P99NS, d.P999NS, d.MaxNS} {
			cells = append(cells, nsCell(ns))
		}
	}
	return cells
}

func countCell(n *uint64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatUint(*n, 10)
}

func nsCell(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
