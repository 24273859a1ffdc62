package pool

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/target/dispatch"
	"edgebench/target/policy"
)

// A spy is a policy that keeps what it is shown and wants the same always.
type spy struct {
	decision policy.Decision
	seen     []policy.Observation
}

func (s *spy) Initial() policy.Decision { return s.decision }

func (s *spy) Decide(o policy.Observation) policy.Decision {
	o.Idles = slices.Clone(o.Idles)
	s.seen = append(s.seen, o)
	return s.decision
}

func spied(t *testing.T, cfg Config, d policy.Decision) (*Pool, *spy) {
	t.Helper()
	s := &spy{decision: d}
	rule, err := dispatch.New("", 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(cfg, s, rule)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// One worker, windows of 2 s. Requests in the node:
//
//	0–0.5 s: 0; 0.5–1 s: 1; 1–1.5 s: 2 (one waits); 1.5–2.5 s: 1; 2.5–3 s: 0; 3–3.25 s: 1; then 0
func TestConcurrencyByHand(t *testing.T) {
	t.Parallel()
	cfg := study()
	cfg.Miss = MissQueue
	p, s := spied(t, cfg, policy.Decision{Target: 1, Floor: 1})
	at := func(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }
	p.Begin(0)
	p.Ready(0, 1)
	p.Arrive(at(500), 1)
	p.Arrive(at(1000), 2)
	p.Done(at(1500), 1, at(1000))
	p.Advance(at(2000))
	p.Done(at(2500), 1, at(1000))
	p.Arrive(at(3000), 3)
	p.Done(at(3250), 1, at(250))
	p.Advance(at(4000))
	p.Advance(at(6500)) // late: 2.5 s without a request
	p.Arrive(at(7000), 4)
	p.Arrive(at(7000), 5)
	p.Advance(at(7100)) // tells the time
	p.Cancel(5)         // it waited from 7 to 7.1 s
	p.Advance(at(8000))
	for i, want := range []policy.Observation{
		{Concurrency: 1.0}, // (0.5·1 + 0.5·2 + 0.5·1) / 2
		{Concurrency: 0.375, Idles: []time.Duration{at(500)}, Silence: at(750)}, // (0.5 + 0.25) / 2
		{Concurrency: 0, Silence: at(3250)},
		{Concurrency: 1.1 / 1.5, Idles: []time.Duration{at(3750)}},
	} {
		got := s.seen[i]
		if math.Abs(got.Concurrency-want.Concurrency) > 1e-12 || got.Silence != want.Silence || !slices.Equal(got.Idles, want.Idles) {
			t.Errorf("window %d: concurrency %v idles %v silence %v, want %v %v %v",
				i, got.Concurrency, got.Idles, got.Silence, want.Concurrency, want.Idles, want.Silence)
		}
	}
}

// The integral is the same as the overlap of every request's stay with each
// window, one-offs and queueing included.
func TestConcurrencyIsTheSumOfStays(t *testing.T) {
	t.Parallel()
	for _, miss := range []Miss{MissOneOff, MissQueue, MissSpawn} {
		cfg := study()
		cfg.Miss, cfg.TickPhase, cfg.MaxOneOffs = miss, 700*time.Millisecond, 3
		p, s := spied(t, cfg, policy.Decision{Target: 4, Floor: 4})
		w := newWorld(p, 100*time.Millisecond, 400*time.Millisecond)
		rng := rand.New(rand.NewPCG(5, uint64(miss)))
		arrived := map[uint64]time.Duration{}
		var at time.Duration
		for id := range uint64(600) {
			at += time.Duration(rng.ExpFloat64() * float64(80*time.Millisecond))
			if id%100 == 99 {
				at += 3 * time.Second
			}
			arrived[id] = at
			w.plan(at, func(now time.Duration) []Command { return p.Arrive(now, id) })
		}
		w.run(at + 2*time.Minute)
		if len(w.answered) != 600 || len(s.seen) < 50 {
			t.Fatalf("%v: %d answered, %d windows", miss, len(w.answered), len(s.seen))
		}
		for _, o := range s.seen {
			var stay time.Duration
			for id, from := range arrived {
				stay += max(0, min(w.answered[id], o.Now)-max(from, o.Now-o.Window))
			}
			if want := float64(stay) / float64(o.Window); math.Abs(o.Concurrency-want) > 1e-12 {
				t.Errorf("%v: window to %v: concurrency %v, want %v", miss, o.Now, o.Concurrency, want)
			}
		}
	}
}

// A policy's own idle timeout goes before the node's.
func TestPolicyStatesItsIdleTimeout(t *testing.T) {
	t.Parallel()
	var ends []time.Duration
	for _, timeout := range []time.Duration{0, 3 * time.Second, 1} {
		p, _ := spied(t, study(), policy.Decision{Target: 1, IdleTimeout: timeout})
		p.Begin(0)
		p.Ready(0, 1)
		for p.State().Idle > 0 {
			p.Advance(p.Deadline())
			if p.State().Idle == 0 {
				ends = append(ends, p.inside.now)
			}
		}
	}
	if diff := cmp.Diff([]time.Duration{6 * time.Second, 3 * time.Second, time.Second}, ends); diff != "" {
		t.Errorf("reaped at (-want +got):\n%s", diff)
	}
}
