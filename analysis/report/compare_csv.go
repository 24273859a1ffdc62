package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"edgebench/analysis/compare"
	"edgebench/analysis/stats"
)

// CompareCSV writes one row a metric and group, with its difference from the
// first group; what could not be told is empty.
func CompareCSV(w io.Writer, c *compare.Comparison) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"metric", "unit", "phase", "function", "path", "group", "name", "producer", "profile", "mode", "trials", "mean", "low95", "high95", "median", "min", "max",
		"against", "paired", "difference", "difference_low95", "difference_high95", "cliff", "cliff_low95", "cliff_high95", "p", "p_holm"}}
	for _, r := range c.Rows {
		for i, g := range c.Groups {
			row := []string{r.Name, string(r.Unit), c.Phase, c.Function, c.Path, g.Letter, g.Name, g.Producer, g.Profile, g.Mode}
			row = append(row, estimateCells(r.Groups[i])...)
			rows = append(rows, append(row, differenceCells(c, i, r.Name)...))
		}
	}
	_ = out.WriteAll(rows) // Error tells it
	return out.Error()
}

func estimateCells(e *compare.Estimate) []string {
	if e == nil {
		return []string{"0", "", "", "", "", "", ""}
	}
	return append([]string{strconv.Itoa(e.N), cell(&e.Mean), cell(e.Low95), cell(e.High95)}, cell(&e.Median), cell(&e.Min), cell(&e.Max))
}

func differenceCells(c *compare.Comparison, group int, metric string) []string {
	empty := make([]string, 10)
	if group == 0 {
		return empty
	}
	pair := c.Pairs[group-1]
	for _, d := range pair.Differences {
		if d.Metric != metric {
			continue
		}
		cells := append([]string{pair.A, strconv.FormatBool(pair.Paired), cell(&d.Mean)}, ends(d.Interval)...)
		if d.Effect == nil {
			cells = append(cells, "", "", "")
		} else {
			cells = append(append(cells, cell(&d.Effect.Delta)), ends(d.Effect.Interval)...)
		}
		if d.Test == nil {
			return append(cells, "", "")
		}
		return append(cells, cell(&d.Test.P), cell(d.PHolm))
	}
	return empty
}

// ParetoCSV writes one row a point.
func ParetoCSV(w io.Writer, f *compare.Frontier) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"group", "name", "phase", "function", "path", "trials", "x", "x_unit", "x_mean", "x_low95", "x_high95", "y", "y_unit", "y_mean", "y_low95", "y_high95",
		"pss_mean_bytes", "rss_mean_bytes", "on_frontier"}}
	for _, p := range f.Points {
		rows = append(rows, []string{p.Letter, p.Name, f.Phase, f.Function, f.Path, strconv.Itoa(p.Trials),
			f.X.Name, string(f.X.Unit), cell(&p.X.Mean), cell(p.X.Low95), cell(p.X.High95),
			f.Y.Name, string(f.Y.Unit), cell(&p.Y.Mean), cell(p.Y.Low95), cell(p.Y.High95),
			meanCell(p.PSS), meanCell(p.RSS), strconv.FormatBool(p.OnFrontier)})
	}
	_ = out.WriteAll(rows) // Error tells it
	return out.Error()
}

func cell(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

func ends(i *stats.Interval) []string {
	if i == nil {
		return []string{"", ""}
	}
	return []string{cell(&i.Low), cell(&i.High)}
}

func meanCell(e *compare.Estimate) string {
	if e == nil {
		return ""
	}
	return cell(&e.Mean)
}
