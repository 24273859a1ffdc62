package pool

import (
	"testing"
	"time"

	"edgebench/target/policy"
)

// A decision between two ticks starts workers as one of a tick does, bounded
// alike, and leaves the window as it is.
func TestRevise(t *testing.T) {
	t.Parallel()
	cfg := study()
	cfg.MaxWorkers = 3
	p := build(t, cfg, "static", "", nil, 1)
	p.Begin(0)
	p.Ready(0, 1)
	p.Arrive(time.Second, 1)
	commands := p.Revise(time.Second, policy.Decision{Target: 50, Floor: 40})
	if len(commands) != 3 || commands[0].Op != Decide || commands[0].Reason != Revised {
		t.Fatalf("%+v, want a revised decision and two starts", commands)
	}
	for _, c := range commands[1:] {
		if c.Op != Start || c.Reason != ByPolicy {
			t.Errorf("%+v, want a start by policy", c)
		}
	}
	if d := p.LastDecision(); d.Target != 3 || d.Floor != 3 {
		t.Errorf("%+v, want 3 at most", d)
	}
	if n := p.Counts().Decisions; n != 0 {
		t.Errorf("%d decisions counted, want those of ticks alone", n)
	}
	p.Advance(2 * time.Second)
	if d := p.LastDecision(); d.Rate != 0.5 {
		t.Errorf("%v/s at the tick, want the one arrival of its 2 s", d.Rate)
	}
	p.Close()
	if commands := p.Revise(3*time.Second, policy.Decision{Target: 3}); len(commands) != 0 {
		t.Errorf("closed: %+v", commands)
	}
}
