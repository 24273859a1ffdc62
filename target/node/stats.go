package node

import (
	"os"
	"slices"
	"strconv"
	"time"

	"edgebench/target/pool"
)

// templated is a runtime with a template process.
type templated interface{ TemplatePID() int }

// stats is the object of GET /stats.
func (n *Node) stats() []byte {
	state, counts := n.pool.State(), n.pool.Counts()
	var o object
	o.open()
	o.text("version", n.cfg.Version)
	o.integer("uptime_ns", int64(time.Since(n.begun)))
	o.boolean("ready", n.isReady)
	n.policyStats(&o, state)
	o.integer("service_estimate_ns", int64(state.ServiceTime))
	n.workerStats(&o, state)
	o.nest("requests")
	o.count("arrivals", counts.Arrivals)
	o.integer("waiting", int64(state.Waiting))
	o.integer("waiting_in_worker", int64(state.Admitted))
	o.integer("executing", int64(state.Executing))
	o.integer("waiting_for_oneoff", int64(state.Bound))
	o.count("cancelled", counts.Cancelled)
	for p := range pool.NumPaths {
		o.count(p.String(), counts.Assigned[p])
	}
	o.close()
	byReason(&o, "rejected", counts.Rejected)
	o.nest("errors")
	for _, class := range sortedKeys(n.errors) {
		o.count(class, n.errors[class])
	}
	o.close()
	byReason(&o, "started", counts.Started)
	byReason(&o, "stopped", counts.Stopped)
	o.count("start_failures", counts.StartFailures)
	o.count("deaths", counts.Deaths)
	n.connectionStats(&o)
	o.close()
	return append(o.done(), '\n')
}

func (n *Node) policyStats(o *object, state pool.State) {
	p50, p99 := n.timed.quantiles()
	d := state.Decision
	o.nest("policy")
	o.text("name", n.cfg.Policy)
	o.nest("params")
	for _, name := range sortedKeys(n.cfg.Params) {
		o.number(name, n.cfg.Params[name])
	}
	o.close()
	o.text("dispatch", n.cfg.Dispatch)
	o.text("miss", n.cfg.Pool.Miss.String())
	o.integer("tick_ns", int64(n.cfg.Pool.Tick))
	o.integer("tick_phase_ns", int64(n.cfg.Pool.TickPhase))
	o.integer("start_delay_simulated_ns", int64(n.cfg.Pool.StartDelay))
	o.integer("decisions", int64(n.timed.n))
	o.integer("decide_p50_ns", int64(p50))
	o.integer("decide_p99_ns", int64(p99))
	n.fitterStats(o)
	o.nest("last")
	o.integer("target", int64(d.Target))
	o.integer("floor", int64(d.Floor))
	o.number("rate_rps", d.Rate)
	o.number("baseline_rps", d.Baseline)
	o.number("cusum", d.Sum)
	o.text("alarm", d.Alarm)
	o.close()
	o.close()
}

func (n *Node) workerStats(o *object, state pool.State) {
	o.nest("workers")
	o.text("runtime", n.cfg.Runtime)
	o.text("work", n.cfg.Work)
	o.integer("starting", int64(state.Starting))
	o.integer("idle", int64(state.Idle))
	o.integer("busy", int64(state.Busy))
	o.integer("oneoffs", int64(state.OneOffs))
	o.integer("tokens", int64(n.cfg.Pool.Tokens))
	o.integer("servers", int64(max(n.cfg.Pool.Servers, 1)))
	o.integer("max", int64(n.cfg.Pool.MaxWorkers))
	o.close()
	o.nest("pids")
	o.integer("node", int64(os.Getpid()))
	if t, ok := n.runtime.(templated); ok {
		o.integer("template", int64(t.TemplatePID()))
	}
	if n.fitter != nil {
		o.integer("fitter", int64(n.fitter.Stats().PID))
	}
	o.list("workers")
	for _, id := range sortedKeys(n.crew) {
		for _, s := range n.crew[id].servers {
			o.buf = append(strconv.AppendInt(o.buf, int64(s.PID), 10), ',')
		}
	}
	o.endList()
	o.close()
}

func (n *Node) connectionStats(o *object) {
	r := n.reactor.Stats()
	o.nest("connections")
	o.integer("reactors", int64(n.cfg.Reactors))
	o.count("accepted", r.Accepted)
	o.count("open", r.Open)
	o.count("refused", r.Refused)
	o.count("requests", r.Requests)
	o.count("faults", r.Faults)
	o.count("timed_out", r.TimedOut)
	o.count("broken", r.Broken)
	o.count("stale_answers", r.Stale)
	o.close()
}

// byReason writes the counts that are not 0.
func byReason(o *object, name string, counts [pool.NumReasons]uint64) {
	o.nest(name)
	for r, count := range counts {
		if count > 0 {
			o.count(pool.Reason(r).String(), count)
		}
	}
	o.close()
}

func sortedKeys[K uint64 | string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
