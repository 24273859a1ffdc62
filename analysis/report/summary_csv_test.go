package report

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"edgebench/analysis"
)

// A row a scope with the same columns; phases add up to the run, and what was
// not measured is empty.
func TestSummaryCSV(t *testing.T) {
	t.Parallel()
	s := summary(t, fixture)
	s.Functions = []analysis.Function{{Name: "a,b\n"}}
	var b strings.Builder
	if err := SummaryCSV(&b, s); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2+len(s.Phases)+1+len(s.PathTimes) || len(s.PathTimes) == 0 {
		t.Fatalf("%d rows of %d phases", len(rows), len(s.Phases))
	}
	column := func(name string) int {
		for i, head := range rows[0] {
			if head == name {
				return i
			}
		}
		t.Fatalf("no column %s in %v", name, rows[0])
		return 0
	}
	last, of := rows[len(rows)-1], s.PathTimes[len(s.PathTimes)-1]
	if want := []string{"path", of.Phase + "." + of.Path, "", strconv.FormatUint(of.OK, 10)}; !slices.Equal(want, []string{last[0], last[column("name")], last[column("sent")], last[column("ok")]}) {
		t.Errorf("row of a path %q, want %q", last, want)
	}
	scheduled, sum := column("scheduled"), uint64(0)
	for _, row := range rows[2 : 2+len(s.Phases)] {
		n, err := strconv.ParseUint(row[scheduled], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if want := strconv.FormatUint(sum, 10); rows[1][scheduled] != want {
		t.Errorf("run: %s scheduled, its phases have %s", rows[1][scheduled], want)
	}
	if got, want := rows[1][column("response_p99_ns")], strconv.FormatInt(*s.Response.P99NS, 10); got != want {
		t.Errorf("p99 %s, want %s", got, want)
	}
	last = rows[2+len(s.Phases)]
	if last[column("name")] != "a,b\n" || last[column("response_p50_ns")] != "" || last[column("cold_truth")] != "" {
		t.Errorf("a function without answers: %q", last)
	}
}
