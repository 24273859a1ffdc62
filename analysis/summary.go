// Package analysis makes numbers of a run directory: the summary and its
// verdict. It decides what the numbers mean and which of them cannot be
// trusted; it refuses to sum up a run whose counts do not reconcile. It does
// not care who produced the run, the generator or the twin.
package analysis

import (
	"edgebench/analysis/rundir"
)

// SchemaVersion of summary.json.
const SchemaVersion = 1

// A Verdict says what a run may be used for.
type Verdict string

// Verdicts, the first that applies: partial, invalid, thresholds_failed, valid.
const (
	Valid            Verdict = "valid"
	Invalid          Verdict = "invalid"           // the generator was the limit
	Partial          Verdict = "partial"           // interrupted, target lost, or never sealed
	ThresholdsFailed Verdict = "thresholds_failed" // valid, and a threshold of the profile is not met
)

// A Summary is summary.json. Its keys are stable. What was not measured is
// null, never 0 and never NaN.
type Summary struct {
	SchemaVersion int      `json:"schema_version"`
	Verdict       Verdict  `json:"verdict"`
	Reasons       []string `json:"reasons"` // why the verdict is not valid
	Warnings      []string `json:"warnings"`
	Run           RunFacts `json:"run"`
	// Parts are the processes that made the run together, by the start they
	// agreed on; none for a run of one.
	Parts []rundir.Part `json:"parts,omitempty"`

	Account

	Phases     []Phase            `json:"phases"`              // in the order of the schedule
	Functions  []Function         `json:"functions"`           // in the order of the manifest; empty where there is only one
	Measured   []Measured         `json:"measured"`            // phases with `measure: cold`, their cycles side by side
	ColdAuto   []CalibrationPart  `json:"cold_auto,omitempty"` // with `cold: {auto: true}`: the split of the run and of each measured phase
	Intervals  []QuantileInterval `json:"quantile_intervals"`
	PathTimes  []PathTimes        `json:"path_times"` // of the run and of each measured phase; empty where nothing was marked
	Resources  Resources          `json:"resources"`
	Generator  Generator          `json:"generator"`
	Policy     Policy             `json:"policy"`
	Thresholds []ThresholdResult  `json:"thresholds"`
}

// RunFacts tell which run a summary is about.
type RunFacts struct {
	Producer     string `json:"producer"`
	Profile      string `json:"profile"`
	Mode         string `json:"mode"`
	Target       string `json:"target"`
	Worker       string `json:"worker,omitempty"` // runtime of the bundled node's workers
	Work         string `json:"work,omitempty"`   // what they do with the service time
	Seed         uint64 `json:"seed"`
	ScheduleHash string `json:"schedule_hash"`
	StartedUTC   string `json:"started_utc"`
	Cycles       int    `json:"cycles"`
	DurationNS   int64  `json:"duration_ns"` // planned
	ElapsedNS    int64  `json:"elapsed_ns"`  // until the end of the drain
}

// An Account is what happened to some requests: those of a run, of a phase, or
// of all phases of one name.
type Account struct {
	Counts          Counts            `json:"counts"`
	ErrorsByClass   map[string]uint64 `json:"errors_by_class"`
	DroppedByReason map[string]uint64 `json:"dropped_by_reason"`
	Rate            Rate              `json:"rate"`
	Lag             Distribution      `json:"lag"`          // of everything sent, without the wait for a connection
	LateShare       *float64          `json:"late_share"`   // of everything sent: lag above 1 ms, more where sending is rounded up to a quantum; null when nothing was sent
	ConnectWait     Distribution      `json:"connect_wait"` // of what waited for a connection to be opened
	Service         Distribution      `json:"service"`      // of ok
	Response        Distribution      `json:"response"`     // of ok: lag + connect wait + service
	Failed          Distribution      `json:"failed"`       // of errors, from scheduled to the error
	Paths           Paths             `json:"paths"`        // of ok
	Cold            Cold              `json:"cold"`         // of ok
}

// Counts reconcile: scheduled = sent + dropped, sent = ok + errors + open at end.
type Counts struct {
	Planned   uint64 `json:"planned"`
	Scheduled uint64 `json:"scheduled"` // planned instants that came before the run was stopped
	Sent      uint64 `json:"sent"`
	Dropped   uint64 `json:"dropped"`
	OK        uint64 `json:"ok"`
	Errors    uint64 `json:"errors"`
	OpenAtEnd uint64 `json:"open_at_end"`
}

// Rate counts requests of a stretch of the schedule by its own length, in
// requests/s: drains and answers that come later do not dilute it. Null for a
// stretch that was never played.
type Rate struct {
	OfferedRPS *float64 `json:"offered_rps"` // scheduled
	SentRPS    *float64 `json:"sent_rps"`
	OKRPS      *float64 `json:"ok_rps"`
	ErrorRPS   *float64 `json:"error_rps"`
}

// Paths counts answers by the path the node marked.
type Paths struct {
	Warm     uint64 `json:"warm"`
	Queued   uint64 `json:"queued"`
	Fresh    uint64 `json:"fresh"`
	Fallback uint64 `json:"fallback"`
	Unmarked uint64 `json:"unmarked"`
}

// Marked is the number of answers that told their path.
func (p Paths) Marked() uint64 { return p.Warm + p.Queued + p.Fresh + p.Fallback }

// Cold sets the node's mark (truth) beside the threshold on the service time,
// which is the round trip as a client sees it. Truth is null when no answer
// was marked, ByThreshold when there is no threshold, the four cells and what
// follows from them when either is missing.
type Cold struct {
	Marked        uint64   `json:"marked"` // answers with a mark
	Truth         *uint64  `json:"truth"`
	ByThreshold   *uint64  `json:"by_threshold"`
	ThresholdNS   *int64   `json:"threshold_ns"`
	TruePositive  *uint64  `json:"true_positive"`
	FalsePositive *uint64  `json:"false_positive"`
	FalseNegative *uint64  `json:"false_negative"`
	TrueNegative  *uint64  `json:"true_negative"`
	Precision     *float64 `json:"precision"` // 0..1; null when nothing was above the threshold
	Recall        *float64 `json:"recall"`    // 0..1; null when nothing was cold
}

// A Phase is the account of the requests scheduled in it, whenever they were
// answered.
type Phase struct {
	Name     string `json:"name"`
	Cycle    int    `json:"cycle"`
	Kind     string `json:"kind"`
	Measure  string `json:"measure"`
	StartNS  int64  `json:"start_ns"`
	LengthNS int64  `json:"length_ns"`
	Account
}

// A Function is the account of the requests of one function, over the whole
// run. What was planned is known of phases only; its planned is its scheduled.
type Function struct {
	Name string `json:"name"`
	Account
}

// Measured compares the cycles of a phase that is there to measure cold starts.
type Measured struct {
	Name   string      `json:"name"`
	Cycles []CycleCold `json:"cycles"`
	All    Account     `json:"all"`
}

// CycleCold is one cycle's part.
type CycleCold struct {
	Cycle     int    `json:"cycle"`
	Scheduled uint64 `json:"scheduled"`
	OK        uint64 `json:"ok"`
	Cold      Cold   `json:"cold"`
}

// Policy is what deciding cost, as the node tells it.
type Policy struct {
	Name        string `json:"name"`
	DecideP50NS *int64 `json:"decide_p50_ns"`
	DecideP99NS *int64 `json:"decide_p99_ns"`
}

// An extent is the part of a schedule that an account is about.
type extent struct {
	planned uint64
	seconds float64 // played
	late    int64   // ns; lag above it counts in late_share
}

func accountOf(t *rundir.Tally, e extent) Account {
	counts := Counts{
		Planned: e.planned, Scheduled: t.Scheduled, Sent: t.Sent(), Dropped: t.Dropped(),
		OK: t.OK(), Errors: t.Errors(), OpenAtEnd: t.OpenAtEnd(),
	}
	return Account{
		Counts:          counts,
		ErrorsByClass:   t.ErrorsByClass(),
		DroppedByReason: t.DroppedByReason(),
		Rate:            rateOf(counts, e.seconds),
		Lag:             distributionOf(&t.Lag),
		LateShare:       share(t.Lag.Above(e.late), t.Lag.N),
		ConnectWait:     distributionOf(&t.ConnectWait),
		Service:         distributionOf(&t.Service),
		Response:        distributionOf(&t.Response),
		Failed:          distributionOf(&t.Failed),
		Paths: Paths{
			Warm: t.Paths[rundir.PathWarm], Queued: t.Paths[rundir.PathQueued], Fresh: t.Paths[rundir.PathFresh],
			Fallback: t.Paths[rundir.PathFallback], Unmarked: t.Paths[rundir.PathUnknown],
		},
		Cold: coldOf(t),
	}
}

func rateOf(c Counts, seconds float64) Rate {
	if seconds <= 0 {
		return Rate{}
	}
	per := func(n uint64) *float64 { return new(float64(n) / seconds) }
	return Rate{OfferedRPS: per(c.Scheduled), SentRPS: per(c.Sent), OKRPS: per(c.OK), ErrorRPS: per(c.Errors)}
}

func coldOf(t *rundir.Tally) Cold {
	c := Cold{Marked: t.Cold.Marked}
	if t.Cold.Marked > 0 {
		c.Truth = new(t.Cold.Truth)
	}
	if t.ColdThreshold > 0 {
		c.ThresholdNS = new(int64(t.ColdThreshold))
		c.ByThreshold = new(t.Cold.ByThreshold)
	}
	if c.Truth == nil || c.ByThreshold == nil {
		return c
	}
	c.TruePositive, c.FalsePositive = new(t.Cold.TruePositive), new(t.Cold.FalsePositive)
	c.FalseNegative, c.TrueNegative = new(t.Cold.FalseNegative), new(t.Cold.TrueNegative)
	c.Precision = share(t.Cold.TruePositive, t.Cold.TruePositive+t.Cold.FalsePositive)
	c.Recall = share(t.Cold.TruePositive, t.Cold.TruePositive+t.Cold.FalseNegative)
	return c
}

// share is part/whole, nil for a whole of nothing.
func share(part, whole uint64) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}
