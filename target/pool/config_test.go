package pool

import (
	"strings"
	"testing"
	"time"
)

func TestValidateReportsEveryFault(t *testing.T) {
	t.Parallel()
	if err := study().Validate(); err != nil {
		t.Fatal(err)
	}
	err := Config{MissWait: -1, QueueLimit: -2, IdleTimeout: -3, Tick: time.Second, TickPhase: time.Second, ServiceTime: -4, StartDelay: -5}.Validate()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"max workers 0", "max one-offs 0", "miss wait -1ns", "queue limit -2", "idle timeout -3ns",
		"scavenge period 0s", "tick phase 1s: must be in [0, 1s)", "service time -4ns", "start delay -5ns",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
	if _, err := ParseMiss("retry"); err == nil || !strings.Contains(err.Error(), `miss path "retry": unknown`) {
		t.Errorf("unknown miss path: %v", err)
	}
}

// T follows what was measured and stays above 0.
func TestServiceTimeFeedback(t *testing.T) {
	t.Parallel()
	cfg := study()
	p := build(t, cfg, "static", "", nil, 1)
	p.Begin(0)
	p.Ready(0, 1)
	for i := range uint64(200) {
		p.Arrive(0, i)
		p.Done(0, 1, 40*time.Millisecond)
	}
	if got := p.ServiceTime().Round(time.Millisecond); got != 40*time.Millisecond {
		t.Errorf("T = %v after 200 requests of 40ms", got)
	}
	cfg.ServiceTime = 0
	if got := build(t, cfg, "static", "", nil, 1).ServiceTime(); got != 1 {
		t.Errorf("T = %v for none, want 1ns", got)
	}
}
