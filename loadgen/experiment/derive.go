package experiment

import (
	"edgebench/analysis"
	"edgebench/analysis/report"
)

// Derive makes the derived files of a run directory from its raw ones. A summary
// comes with an error when it could be made and not written.
func Derive(dir string) (*analysis.Summary, error) {
	summary, err := analysis.Summarize(dir)
	if err != nil {
		return nil, err
	}
	if err := analysis.WriteSummary(dir, summary); err != nil {
		return summary, err
	}
	return summary, report.WriteHTML(dir, summary)
}
