package live

import (
	"math"

	"edgebench/analysis/look"
	"edgebench/analysis/rundir"
)

// A head is what is known of a run from its beginning.
type head struct {
	Profile   string      `json:"profile"`
	Mode      string      `json:"mode"`   // the policy, or "url"
	Target    string      `json:"target"` // without secrets
	Seed      string      `json:"seed"`   // text: JavaScript has no 64-bit integers
	Simulated bool        `json:"simulated"`
	Note      string      `json:"note"`     // what else to know: the speed of a replay
	Planned   uint64      `json:"planned"`  // requests
	Duration  float64     `json:"duration"` // of the schedule, s
	Bands     []look.Band `json:"bands"`
}

// totals are counts of a run so far; they reconcile when it is over.
type totals struct {
	Scheduled int64 `json:"scheduled"`
	Sent      int64 `json:"sent"`
	OK        int64 `json:"ok"`
	Errors    int64 `json:"errors"`
	Dropped   int64 `json:"dropped"`
	Cold      int64 `json:"cold"`
}

// An end is how a run ended.
type end struct {
	Verdict string `json:"verdict"` // empty when there is no run directory
	Says    string `json:"says"`
}

// A story is the whole of what a page shows, as it is told to one that just came.
type story struct {
	Seq    uint64          `json:"seq"`
	Head   *head           `json:"head"` // null before the run began
	Groups map[string]told `json:"groups"`
	Totals totals          `json:"totals"`
	SoFar  *soFar          `json:"so_far"`
	Marks  look.Series     `json:"marks"` // instants of alarms
	Log    []logLine       `json:"log"`
	Batch  *Batch          `json:"batch"`
	End    *end            `json:"end"`
	Missed int             `json:"missed"` // messages this watcher did not get before

	groups map[string]*group
}

// An update is what is new since the one before.
type update struct {
	Seq    uint64                   `json:"seq"`
	Rows   map[string][]look.Series `json:"rows,omitempty"`
	Totals totals                   `json:"totals"`
	SoFar  *soFar                   `json:"so_far"`
	Marks  look.Series              `json:"marks,omitempty"`
	Log    []logLine                `json:"log,omitempty"`
	Unsaid int                      `json:"unsaid,omitempty"` // lines that were too many
	Batch  *Batch                   `json:"batch,omitempty"`
	End    *end                     `json:"end,omitempty"`
}

// soFar are quantiles of the whole run until now, ms; a replay has none.
type soFar struct {
	P50    float64 `json:"p50"`
	P99    float64 `json:"p99"`
	LagP99 float64 `json:"lag_p99"`
}

// Names of groups, and of what a page draws from them. Times are in ms, memory in
// MB, rates in 1/s.
const (
	groupSecond   = "second"
	groupMemory   = "memory"
	groupPool     = "pool"
	groupDecision = "decision"
)

func newGroups() map[string]*group {
	return map[string]*group{
		groupSecond: newGroup(
			column{"offered", mean}, column{"sent", mean}, column{"ok", mean}, column{"errors", mean}, column{"dropped", mean}, column{"cold", mean},
			column{"in_flight", largest}, column{"lag_p99", largest}, column{"lag_max", largest},
			column{"p50", largest}, column{"p90", largest}, column{"p99", largest}, column{"max", largest},
		),
		groupMemory:   newGroup(column{"workers", largest}, column{"pss", largest}, column{"rss", largest}, column{"cpu", mean}),
		groupPool:     newGroup(column{"busy", largest}, column{"idle", largest}, column{"starting", largest}, column{"oneoffs", largest}, column{"waiting", largest}),
		groupDecision: newGroup(column{"rate", latest}, column{"baseline", latest}, column{"cusum", largest}, column{"target", largest}),
	}
}

func secondRow(v *rundir.Interval) []float64 {
	return []float64{
		float64(v.Second), float64(v.Scheduled), float64(v.Sent), float64(v.OK), float64(v.Errors), float64(v.Dropped), float64(v.Cold),
		float64(v.InFlight), look.Milliseconds(v.Sent, v.LagP99NS), look.Milliseconds(v.Sent, v.LagMaxNS),
		look.Milliseconds(v.OK, v.ResponseP50NS), look.Milliseconds(v.OK, v.ResponseP90NS), look.Milliseconds(v.OK, v.ResponseP99NS), look.Milliseconds(v.OK, v.ResponseMaxNS),
	}
}

func memoryRow(r *rundir.MonitorRow) []float64 {
	return []float64{float64(r.TNS) / 1e9, look.Value(r.Workers, 1), look.Value(r.PSSBytes, 1e6), look.Value(r.RSSBytes, 1e6), look.Value(r.CPUShare, 1)}
}

func pointed[T int64 | float64](v *T) float64 {
	if v == nil {
		return math.NaN()
	}
	return float64(*v)
}
