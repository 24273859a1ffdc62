package fleet

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// Options are the settings of a node that an experiment varies. Every field is passed on,
// so start from Defaults; the node itself validates them.
type Options struct {
	Listen      string             // HOST:PORT, port 0 for a free one [127.0.0.1:0]
	Policy      string             // [ewma]
	Params      map[string]float64 // of the policy [none]
	Workers     int                // for policies that need a number; 0 is the policy's own [0]
	Dispatch    string             // empty is the policy's own [empty]
	Runtime     string             // fork | exec | python | python-exec [fork]
	Work        string             // sleep | cpu | image [sleep]
	Service     time.Duration      // mean service time, ≥ 0 [500ms]
	ServiceLaw  string             // fixed | exponential [fixed]
	Miss        string             // oneoff | queue | spawn [oneoff]
	MissWait    time.Duration      // before a one-off is started, ≥ 0 [300ms]
	QueueLimit  int                // requests waiting before others get 503, 0 is no limit [0]
	IdleTimeout time.Duration      // > 0 [6s]
	Scavenge    time.Duration      // period, > 0 [1s]
	Tick        time.Duration      // period, > 0 [2s]
	TickPhase   *time.Duration     // first tick after the start, in [0, Tick); nil is the node's choice [nil]
	MaxWorkers  int                // > 0 [64]
	Tokens      int                // requests a worker admits, 0 is the policy's own [0]
	Servers     int                // of these, executed at once, 0 is 1 [0]
	Reactors    int                // event loops, > 0 [1]
	Heap        int64              // bytes [100,000,000]
	StartDelay  time.Duration      // simulated, ≥ 0 [0s]
	Seed        uint64             // of what the node draws by lot [1]
}

// Defaults are the study's node on a free port of the loopback.
func Defaults() Options {
	return Options{
		Listen:      "127.0.0.1:0",
		Policy:      "ewma",
		Runtime:     "fork",
		Work:        "sleep",
		Service:     500 * time.Millisecond,
		ServiceLaw:  "fixed",
		Miss:        "oneoff",
		MissWait:    300 * time.Millisecond,
		IdleTimeout: 6 * time.Second,
		Scavenge:    time.Second,
		Tick:        2 * time.Second,
		MaxWorkers:  64,
		Reactors:    1,
		Heap:        100_000_000,
		Seed:        1,
	}
}

// Args is the node's command line, the same for the same options.
func Args(o Options) []string {
	args := []string{
		"--listen=" + o.Listen,
		"--policy=" + o.Policy,
	}
	for _, name := range slices.Sorted(maps.Keys(o.Params)) {
		args = append(args, "--param="+name+"="+strconv.FormatFloat(o.Params[name], 'g', -1, 64))
	}
	if o.Workers != 0 {
		args = append(args, "--workers="+strconv.Itoa(o.Workers))
	}
	if o.Dispatch != "" {
		args = append(args, "--dispatch="+o.Dispatch)
	}
	args = append(args,
		"--runtime="+o.Runtime,
		"--work="+o.Work,
		"--service="+o.Service.String(),
		"--service-law="+o.ServiceLaw,
		"--miss="+o.Miss,
		"--miss-wait="+o.MissWait.String(),
		"--idle-timeout="+o.IdleTimeout.String(),
		"--scavenge="+o.Scavenge.String(),
		"--tick="+o.Tick.String(),
	)
	for _, f := range []struct {
		name  string
		value int
	}{{"queue-limit", o.QueueLimit}, {"tokens", o.Tokens}, {"servers", o.Servers}} {
		if f.value != 0 {
			args = append(args, "--"+f.name+"="+strconv.Itoa(f.value))
		}
	}
	if o.TickPhase != nil {
		args = append(args, "--tick-phase="+o.TickPhase.String())
	}
	return append(args,
		"--max-workers="+strconv.Itoa(o.MaxWorkers),
		"--reactors="+strconv.Itoa(o.Reactors),
		"--heap="+strconv.FormatInt(o.Heap, 10)+"B",
		"--start-delay="+o.StartDelay.String(),
		"--seed="+strconv.FormatUint(o.Seed, 10),
	)
}
