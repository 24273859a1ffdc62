package node

import (
	"time"

	"edgebench/target/exposition"
	"edgebench/target/httpwire"
	"edgebench/target/pool"
	"edgebench/target/worker"
)

// times are how long invocations took, as /metrics tells it.
type times struct {
	waited  [pool.NumPaths]exposition.Histogram // from arrival to a worker
	service exposition.Histogram
}

func (t *times) add(e *execution, result worker.Result, err error) {
	t.waited[e.path].Observe(e.queueWait + e.startWait)
	if err == nil {
		t.service.Observe(result.Service)
	}
}

// serveMetrics answers GET /metrics. Names, units and meanings are in
// docs/metrics.md; labels are of small fixed sets.
func (n *Node) serveMetrics(req *httpwire.Request) httpwire.Response {
	w := &n.metrics
	w.Begin(req.Header("accept"))
	w.Family("target_info", "What runs here, always 1.", exposition.Gauge)
	w.Value(1, "version", n.cfg.Version, "policy", n.cfg.Policy, "dispatch", n.cfg.Dispatch, "runtime", n.cfg.Runtime, "work", n.cfg.Work)
	one := func(name, help string, kind exposition.Kind, v float64) {
		w.Family(name, help, kind)
		w.Value(v)
	}
	one("target_uptime_seconds", "Time since the node began.", exposition.Gauge, time.Since(n.begun).Seconds())
	n.poolMetrics(w, one)
	n.policyMetrics(one)
	c := n.reactor.Stats()
	one("target_connections_open", "Connections now.", exposition.Gauge, float64(c.Open))
	one("target_connections_accepted_total", "Connections ever.", exposition.Counter, float64(c.Accepted))
	one("target_connections_refused_total", "Connections refused for want of descriptors or by the limit.", exposition.Counter, float64(c.Refused))
	one("target_http_requests_total", "Requests of any path, this one included.", exposition.Counter, float64(c.Requests))
	one("target_http_faults_total", "Requests refused as malformed or too large.", exposition.Counter, float64(c.Faults))
	w.Family("target_wait_seconds", "From an invocation's arrival to its worker, by the path it took.", exposition.Buckets)
	for p := range pool.NumPaths {
		w.Histogram(&n.times.waited[p], "path", p.String())
	}
	w.Family("target_service_seconds", "Time a worker took for an invocation.", exposition.Buckets)
	w.Histogram(&n.times.service)
	return httpwire.Response{Type: w.Type(), Body: w.Bytes()}
}

func (n *Node) poolMetrics(w *exposition.Writer, one func(string, string, exposition.Kind, float64)) {
	state, counts := n.pool.State(), n.pool.Counts()
	w.Family("target_workers", "Workers by state.", exposition.Gauge)
	w.Value(float64(state.Starting), "state", "starting")
	w.Value(float64(state.Idle), "state", "idle")
	w.Value(float64(state.Busy), "state", "busy")
	w.Value(float64(state.OneOffs), "state", "oneoff")
	w.Family("target_requests_waiting", "Invocations that wait, by where.", exposition.Gauge)
	w.Value(float64(state.Waiting), "where", "queue")
	w.Value(float64(state.Admitted), "where", "worker")
	w.Value(float64(state.Bound), "where", "oneoff")
	one("target_requests_executing", "Invocations that execute in pool workers.", exposition.Gauge, float64(state.Executing))
	one("target_requests_arrived_total", "Invocations ever.", exposition.Counter, float64(counts.Arrivals))
	one("target_requests_cancelled_total", "Invocations whose client left while they waited.", exposition.Counter, float64(counts.Cancelled))
	w.Family("target_requests_assigned_total", "Invocations that got a worker, by the path they took; fresh and fallback are cold.", exposition.Counter)
	for p := range pool.NumPaths {
		w.Value(float64(counts.Assigned[p]), "path", p.String())
	}
	reasons := func(name, help string, of [pool.NumReasons]uint64) {
		w.Family(name, help, exposition.Counter)
		for r, count := range of {
			if count > 0 {
				w.Value(float64(count), "reason", pool.Reason(r).String())
			}
		}
	}
	reasons("target_requests_rejected_total", "Invocations answered 503, by reason.", counts.Rejected)
	reasons("target_workers_started_total", "Workers the pool asked for, by reason.", counts.Started)
	reasons("target_workers_stopped_total", "Workers the pool ended, by reason.", counts.Stopped)
	one("target_worker_start_failures_total", "Workers that could not be started.", exposition.Counter, float64(counts.StartFailures))
	one("target_worker_deaths_total", "Ready workers that ended by themselves.", exposition.Counter, float64(counts.Deaths))
	w.Family("target_errors_total", "Answers with X-Error, by class.", exposition.Counter)
	for _, class := range sortedKeys(n.errors) {
		w.Value(float64(n.errors[class]), "class", class)
	}
}

func (n *Node) policyMetrics(one func(string, string, exposition.Kind, float64)) {
	counts, d := n.pool.Counts(), n.pool.LastDecision()
	one("target_policy_decisions_total", "Decisions of the policy.", exposition.Counter, float64(counts.Decisions))
	one("target_policy_alarms_total", "Alarms of the policy's chart.", exposition.Counter, float64(counts.Alarms))
	one("target_policy_target_workers", "Workers the policy wants.", exposition.Gauge, float64(d.Target))
	one("target_policy_floor_workers", "Workers the scavenger leaves.", exposition.Gauge, float64(d.Floor))
	one("target_policy_rate_rps", "Arrivals per second in the policy's last window.", exposition.Gauge, d.Rate)
	one("target_policy_baseline_rps", "What the policy expects, its EWMA or forecast.", exposition.Gauge, d.Baseline)
	one("target_policy_cusum", "Cumulative sum of the policy's chart.", exposition.Gauge, d.Sum)
	one("target_service_estimate_seconds", "The service time the policy reckons with.", exposition.Gauge, n.pool.ServiceTime().Seconds())
}
