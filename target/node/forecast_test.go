package node

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/proctest"
)

// forecasting is a node whose policy asks its fitter every few milliseconds.
func forecasting(t *testing.T) *rig {
	cfg := small()
	cfg.Policy, cfg.Workers = "arima", 2
	cfg.Pool.Tick = 5 * time.Millisecond
	return boot(t, cfg)
}

// A forecast that comes between two ticks is a decision of its own.
func TestForecastsRevise(t *testing.T) {
	t.Parallel()
	r := forecasting(t)
	for r.stats().Policy.Fitter.Answers < 3 {
		r.get("/")
	}
	e := r.await("decision", "revised")
	if e["target"] == nil || e["baseline_rps"] == nil {
		t.Errorf("revised decision: %v", e)
	}
	r.await("fitter_start", "")
}

// A fitter that stands still, then is killed, stops nothing: requests are
// answered, ticks go on with the last target, and another one takes over.
func TestFitterFaults(t *testing.T) {
	t.Parallel()
	r := forecasting(t)
	s := r.until(func(s told) bool { return s.Pids.Fitter != 0 && s.Policy.Fitter.Answers > 0 })
	proctest.Stop(t, s.Pids.Fitter)
	var before, late told
	for late.Policy.Fitter.Late == 0 || late.Policy.Fitter.Answers > before.Policy.Fitter.Answers { // one may have been on its way
		before = r.stats()
		late = r.until(func(now told) bool { return now.Policy.Fitter.Late > before.Policy.Fitter.Late+2 })
	}
	for range 5 {
		r.get("/").want(t, 200, "warm", "")
	}
	later := r.until(func(now told) bool { return now.Policy.Decisions > late.Policy.Decisions+5 })
	if later.Policy.Last.Target != late.Policy.Last.Target {
		t.Errorf("target %d became %d without a forecast", late.Policy.Last.Target, later.Policy.Last.Target)
	}
	if e := r.await("forecast_late", ""); e["waited_ns"] == nil {
		t.Errorf("late: %v", e)
	}
	if err := unix.Kill(s.Pids.Fitter, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := r.await("fitter_end", ""); e["pid"] != float64(s.Pids.Fitter) || e["reason"] == nil {
		t.Errorf("end: %v", e)
	}
	r.until(func(now told) bool { return now.Policy.Fitter.Answers > later.Policy.Fitter.Answers })
	r.get("/").want(t, 200, "warm", "")
}
