package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"edgebench/analysis"
	"edgebench/analysis/cold"
)

// CalibrationCSV writes one row a part of the run and threshold: the profile's,
// the proposed one and the best by the marks, as far as they are known. A part
// without any has one row, which says why.
func CalibrationCSV(w io.Writer, c *analysis.Calibration) error {
	rows := [][]string{{"phase", "ok", "cold", "warm", "ashman_d", "valley", "why", "threshold", "threshold_ns",
		"true_positive", "false_positive", "false_negative", "true_negative", "false_rate", "miss_rate", "precision", "recall"}}
	for _, p := range c.Parts {
		head := []string{p.Phase, decimal(p.OK), decimal(p.Cold), decimal(p.Warm), cell(&p.Split.AshmanD), cell(&p.Split.Valley), p.Split.Why}
		row := func(cells ...string) {
			full := make([]string, len(rows[0]))
			copy(full[copy(full, head):], cells)
			rows = append(rows, full)
		}
		judged := false
		for _, t := range []struct {
			name string
			*cold.Confusion
		}{{"profile", p.Current}, {"proposed", p.Proposed}, {"best", p.Best}} {
			if t.Confusion == nil {
				continue
			}
			judged = true
			row(t.name, strconv.FormatInt(t.ThresholdNS, 10), decimal(t.TruePositive), decimal(t.FalsePositive), decimal(t.FalseNegative), decimal(t.TrueNegative),
				cell(t.FalseRate), cell(t.MissRate), cell(t.Precision), cell(t.Recall))
		}
		switch at := p.Split.ThresholdNS; {
		case judged:
		case at != nil:
			row("proposed", strconv.FormatInt(*at, 10))
		default:
			row()
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }
