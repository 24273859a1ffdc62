package rundir

import "strings"

// SchemaVersion is written to manifest.json and checked by every reader. It
// rises when a file, column or key changes its meaning; a new one does not
// raise it, because readers find columns and keys by name.
const SchemaVersion = 1

// Names of the files in a run directory.
const (
	ManifestFile   = "manifest.json"
	ProfileFile    = "profile.yaml"
	SamplesFile    = "samples.csv.zst"
	HistogramsFile = "latency.hlog"
	PercentileFile = "latency.hgrm"
	TotalsFile     = "totals.json"
	TimeseriesFile = "timeseries.csv"
	MonitorFile    = "monitor.csv"
	EventsFile     = "events.jsonl"
	SummaryFile    = "summary.json" // derived
	ReportFile     = "report.html"  // derived
	PredictionFile = "prediction.json"
)

// partialPrefix marks a directory that was never sealed. The dot hides it from
// a plain `ls runs`, so that what is listed is complete.
const partialPrefix = ".partial-"

// Derived reports whether a file of a run directory is made from the others: it
// may be made again, and differ then.
func Derived(name string) bool {
	switch name {
	case SummaryFile, ReportFile, PredictionFile:
		return true
	}
	return strings.HasPrefix(name, "figures/")
}
