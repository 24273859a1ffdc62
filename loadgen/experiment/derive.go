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
	return summary, WriteDerived(dir, summary)
}

// WriteDerived writes the derived files of a run directory whose summary was made already.
func WriteDerived(dir string, summary *analysis.Summary) error {
	if err := analysis.WriteSummary(dir, summary); err != nil {
		return err
	}
	return report.WriteHTML(dir, summary)
}
