package pool

import (
	"testing"
	"time"
)

// Ten thousand times up and down again: every burst finds no worker and starts
// some, every silence ends them all. Nothing is lost, nothing stays.
func TestScaleCycles(t *testing.T) {
	t.Parallel()
	cfg := study()
	cfg.Miss, cfg.MaxWorkers, cfg.Tokens = MissSpawn, 4, 2
	p := build(t, cfg, "ttl", "overflow", map[string]float64{"keep": 1}, 0)
	w := newWorld(p, 100*time.Millisecond, 300*time.Millisecond)
	const cycles, burst = 10_000, 10
	request := uint64(0)
	for cycle := range cycles {
		begin := time.Duration(cycle) * 10 * time.Second
		w.run(begin)
		if s := p.State(); s.Starting+s.Idle+s.Busy+s.Waiting+s.Admitted != 0 {
			t.Fatalf("cycle %d begins with %+v", cycle, s)
		}
		w.now = begin
		for range burst {
			request++
			w.obey(p.Arrive(begin, request))
		}
		if n := p.size(); n != cfg.MaxWorkers {
			t.Fatalf("cycle %d: %d workers for %d requests", cycle, n, burst)
		}
	}
	w.run(cycles * 10 * time.Second)
	c := p.Counts()
	if len(w.answered) != cycles*burst || c.Assigned[Fresh] != cycles*burst || c.Rejected != [NumReasons]uint64{} || c.Deaths != 0 {
		t.Errorf("%d answers of %d, counts %+v", len(w.answered), cycles*burst, c)
	}
	if c.Started[BySpawn] != 4*cycles || c.Stopped[Idle] != 4*cycles || len(p.workers) != 0 || len(p.open) != 0 {
		t.Errorf("%d workers kept, counts %+v", len(p.workers), c)
	}
	if n := len(p.spare) + len(p.slots); n > 2*cfg.MaxWorkers {
		t.Errorf("%d spares and slots of %d workers", n, cfg.MaxWorkers)
	}
}
