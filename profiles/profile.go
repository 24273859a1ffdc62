// Package profiles reads profiles: what to send, to whom, in which phases. It is
// the only place that reads YAML, and it decides what a profile may say. It
// refuses, with file, line, column and key and all at once, whatever it does not
// know exactly: unknown and duplicate keys, numbers without a unit, NaN, a second
// document. Anchors, aliases, merge keys and tags are refused outright, so that a
// small file cannot stand for a large one.
//
// It starts nothing and reads no clock; the arrivals are profiles/arrival's.
package profiles

import (
	"time"

	"edgebench/profiles/arrival"
	"edgebench/profiles/arrival/trace"
)

// A Profile is a fully resolved profile: every default is filled in.
type Profile struct {
	Name        string // letters, digits, '.', '_', '-': it becomes part of a folder's name; default: the file's
	Description string // one line
	Seed        uint64 // of every random stream of a run; default 1
	Target      Target
	Request     Request
	Functions   []Function // who is called, where there are several; nil for one, with Request
	Streams     string     // shared | own: how arrivals are divided among Functions [shared]; empty without
	Arrivals    Arrivals
	Phases      []Phase // one cycle of them, at least one; recorded arrivals need none
	Cycles      Cycles
	Precision   Precision
	Late        Late
	Cold        Cold
	Monitor     Monitor
	Thresholds  []string // conditions a run has to meet, checked by analysis; none by default
	Written     Written  // where values stand that others check
	Origins     Origins  // where everything was given, see Settings

	DrainTimeout time.Duration // wait for open requests after the last phase; ≥ 0, default 10 s
	MaxInFlight  int           // sent and unanswered at once, above it requests are dropped; 0 = automatic
	Connections  int           // opened before the first phase; 0 = automatic

	// Recorded is what the files of Arrivals hold, nil until they were read: Load
	// does for times and traces, whoever reads run directories for a replay.
	Recorded *trace.Trace
	Shards   int // event loops of the generator, at most 1024; 0 = automatic
	RowEvery int // samples keep one row of so many requests, at most 1,000,000; 1 = all, 0 = automatic
}

// Target is where requests go: exactly one of the two is set.
type Target struct {
	Bundled *Bundled // a node of ours, started for the run
	URL     string   // scheme://[userinfo@]host[:port]; a path in the profile's url moves to Request.Path
	Way     Way      // how the target is reached; for Bundled only its Transport may be set
}

// Bundled describes the node that a run starts. Defaults in brackets.
type Bundled struct {
	Policy      Policy         // [ewma]
	Workers     int            // for policies that need a number; 0 = the policy's own [0]
	Dispatch    string         // rule that picks the worker of a request; empty = the policy's own [empty]
	Worker      string         // runtime of a worker: fork | exec | python | python-exec [fork]
	Work        string         // what it does with the service time: sleep | cpu | image [sleep]
	Service     Service        // time a worker takes for a request [500 ms]
	Miss        Miss           // when no worker is idle [oneoff after 300 ms]
	QueueLimit  int            // requests waiting before others get 503; 0 = no limit [0]
	IdleTimeout time.Duration  // an idle worker is stopped after this; > 0 [6 s]
	Scavenge    time.Duration  // period of looking for them; > 0 [1 s]
	Tick        time.Duration  // period of the policy; > 0 [2 s]
	TickPhase   *time.Duration // first tick after the start, in [0, Tick); nil = the node's choice [nil]
	MaxWorkers  int            // 1 … 10,000 [64]
	Tokens      int            // requests a worker admits; 0 = the policy's own [0]
	Servers     int            // of these, executed at once, each by a process of its own, 0 … 64; 0 = 1 [0]
	Reactors    int            // event loops of the node, 1 … 64 [1]
	Heap        int64          // bytes that a worker has touched [100 MB]
	StartDelay  time.Duration  // SIMULATED cost added to every start of a pool worker; ≥ 0 [0 s]
}

// Policy names a scaling policy and its parameters; the node knows which exist.
type Policy struct {
	Name   string
	Params map[string]float64 // nil for none
}

// Service is the law of the service time.
type Service struct {
	Law  string        // fixed | exponential
	Mean time.Duration // ≥ 0; > 0 when exponential
}

// Miss is what the node does with a request that finds no idle worker.
type Miss struct {
	Kind  string        // queue | spawn | oneoff
	After time.Duration // oneoff: how long it waits before one is started; ≥ 0
}

// Request is the request. Its path, its headers' values and its body may have
// placeholders, see IndexPlace.
type Request struct {
	Method  string        // [GET]
	Path    string        // with query, encoded as sent [/invoke for the bundled node, else /]
	Headers []Header      // in order, beside those that the generator must send
	Body    Body          // [empty]
	Timeout time.Duration // from the instant it is sent; > 0 [10 s]

	CSV     CSV     // where {{csv.COLUMN}} comes from [none]
	Counter Counter // [from 0 by 1]
	Auth    Auth    // [none]
	Expect  Expect  // [any 2xx]
}

// Arrivals names the inter-arrival law; or it has one of Times, Replay and Trace,
// whose name Law is then, and which take the place of rates.
type Arrivals struct {
	Law    string         // [even]
	Params arrival.Values // nil for none

	Times  *Times
	Replay *Replay
	Trace  *trace.Request
}

// Times are instants given one by one: either At or File.
type Times struct {
	At    []time.Duration
	File  string  // one instant a line: a duration, or a timestamp (RFC 3339) counted from the earliest
	Speed float64 // > 0 [1]
}

// Replay is the scheduled instants of an earlier run.
type Replay struct {
	Run   string  // its directory
	Speed float64 // > 0 [1]
	Scale float64 // probability that an arrival is played, above 0, at most 1 [1]
}

// Phase is one stretch of a cycle.
type Phase struct {
	Name    string
	Rate    Rate
	For     time.Duration // > 0; 0 where Count ends it
	Count   int           // the phase holds exactly so many arrivals, and lasts as long as they take; 0 = For
	Measure string        // cold, or empty
}

// Rate is constant, or a linear ramp when the ends differ, or a curve.
type Rate struct {
	From, To float64        // requests/s, 0 … MaxRate
	Sine     *arrival.Sine  // in place of both; nil for none
	Steps    []arrival.Step // in place of both, repeated to the end of the phase; nil for none
}

// Cycles repeats the phases.
type Cycles struct {
	Count     int        // ≥ 1 [1]
	Overrides []Override // by cycle, then in the order of the phases
}

// Override changes a phase in one cycle; nil leaves it as it is.
type Override struct {
	Cycle int // from 1
	Phase string
	For   *time.Duration
	Rate  *Rate
}

// Cold says how a cold start shows.
type Cold struct {
	// Where a response tells that its start was cold, at most one of them: a header
	// or a JSON value with the target's own mark (true, 1, yes, cold; false, 0, no,
	// warm), or the name of the instance, whose first answer counts as cold.
	Header         string // [X-Cold-Start]
	JSON           string // path such as meta.cold or [0].cold
	InstanceHeader string
	InstanceJSON   string

	Auto      bool          // analysis splits the service times of each measured phase, and says when there is nothing to split
	Threshold time.Duration // response time above which a request counts as cold by threshold; 0 = none
}

// Monitor configures the sampler.
type Monitor struct {
	Interval time.Duration // 10 ms … 1 h [1 s]
}

// law is the inter-arrival law of the profile.
func (a Arrivals) law() (arrival.Law, error) { return arrival.NewLaw(a.Law, a.Params) }

// Silent reports whether the rate is 0 throughout.
func (r Rate) Silent() bool {
	for _, s := range r.Steps {
		if s.Rate > 0 {
			return false
		}
	}
	return r.Sine == nil && r.From == 0 && r.To == 0
}

// curve is the rate over a phase of the given length.
func (r Rate) curve(length time.Duration) arrival.Curve {
	switch {
	case r.Sine != nil:
		return *r.Sine
	case len(r.Steps) > 0:
		return arrival.NewSteps(r.Steps)
	case r.From == r.To:
		return arrival.Constant(r.From)
	}
	return arrival.Linear{From: r.From, To: r.To, Length: length}
}
