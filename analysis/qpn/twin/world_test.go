package twin

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/rundir"
	"edgebench/profiles/arrival"
	"edgebench/target/dispatch"
	"edgebench/target/policy"
	"edgebench/target/pool"
)

func newPool(t testing.TB, cfg pool.Config, name string, workers int) *pool.Pool {
	t.Helper()
	pol, err := policy.New(name, nil, workers)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := dispatch.New("", 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pool.New(cfg, pol, rule)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func study() pool.Config {
	return pool.Config{
		MaxWorkers: 64, Miss: pool.MissOneOff, MissWait: 300 * time.Millisecond, MaxOneOffs: 64,
		IdleTimeout: 6 * time.Second, Scavenge: time.Second, Tick: 2 * time.Second,
		ServiceTime: 500 * time.Millisecond, StartDelay: 100 * time.Millisecond,
	}
}

// fourCycles is the bursty ramp of the study.
func fourCycles(t testing.TB) *arrival.Schedule {
	t.Helper()
	var phases []arrival.Phase
	add := func(name string, cycle int, length time.Duration, curve arrival.Curve) {
		phases = append(phases, arrival.Phase{Name: name, Cycle: cycle, Length: length, Curve: curve})
	}
	for cycle := 1; cycle <= 4; cycle++ {
		warmup := 35 * time.Second
		if cycle == 1 {
			warmup = 8 * time.Second
		}
		add("warmup", cycle, warmup, arrival.Constant(2))
		add("ramp", cycle, 30*time.Second, arrival.Linear{From: 2, To: 30, Length: 30 * time.Second})
		add("spike", cycle, 5*time.Second, arrival.Constant(30))
		add("cooldown", cycle, 6*time.Second, arrival.Constant(2))
		add("drain", cycle, 8*time.Second, arrival.Idle)
	}
	s, err := arrival.NewSchedule(phases, arrival.Even{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func play(t testing.TB, w *World, s *arrival.Schedule) *rundir.Tally {
	t.Helper()
	tally := new(rundir.Tally)
	w.Answered = tally.Add
	w.Play(s.Stream(), s.Duration(), 10*time.Second)
	if err := tally.Check(); err != nil {
		t.Fatal(err)
	}
	return tally
}

func TestEveryRequestOfTheFourCyclesEndsOnce(t *testing.T) {
	t.Parallel()
	for _, name := range policy.Names() {
		w := &World{Pool: newPool(t, study(), name, 0), Service: Service{Mean: 500 * time.Millisecond}, Start: time.Millisecond}
		tally := play(t, w, fourCycles(t))
		if tally.Scheduled != 2794 || tally.OK() != 2794 {
			t.Errorf("%s: %d scheduled, %d ok, want 2794 of each", name, tally.Scheduled, tally.OK())
		}
	}
}

func TestTimeoutAndOpenAtEnd(t *testing.T) {
	t.Parallel()
	cfg := study()
	cfg.Miss, cfg.MaxWorkers = pool.MissQueue, 1
	s, err := arrival.NewSchedule([]arrival.Phase{{Name: "p", Cycle: 1, Length: time.Second, Curve: arrival.Constant(10)}}, arrival.Even{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := &World{Pool: newPool(t, cfg, "static", 1), Service: Service{Mean: time.Second}, Timeout: 2500 * time.Millisecond}
	tally := play(t, w, s)
	// One worker, 1 s each, ready at 100 ms (its start delay): answers at 1.1 and 2.1 s; the eight others give up.
	if tally.OK() != 2 || tally.Outcomes[rundir.ErrTimeout] != 8 {
		t.Errorf("ok %d, timeouts %d, want 2 and 8", tally.OK(), tally.Outcomes[rundir.ErrTimeout])
	}
}

// With c pinned workers, a queue without limit and exponential service the node
// is GI/M/c, whose mean response time is known exactly.
func TestPinnedWorkersAreGIMc(t *testing.T) {
	t.Parallel()
	const (
		workers, replications = 5, 10
		mu, lambda            = 3.0, 12.0
	)
	h2, err := arrival.NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	poisson, err := dist.NewExponential(1 / lambda)
	if err != nil {
		t.Fatal(err)
	}
	bursty, err := dist.NewH2(1/lambda, 0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		law arrival.Law
		gap dist.Transformer
	}{{arrival.Poisson{}, poisson}, {h2, bursty}} {
		law := c.law
		want, err := exact.GIMc(c.gap, mu, workers)
		if err != nil {
			t.Fatal(err)
		}
		var means []float64
		for seed := range uint64(replications) {
			cfg := study()
			cfg.Miss, cfg.MaxWorkers, cfg.StartDelay = pool.MissQueue, workers, 0
			s, err := arrival.NewSchedule([]arrival.Phase{{Name: "p", Cycle: 1, Length: 2 * time.Hour, Curve: arrival.Constant(lambda)}}, law, seed+1)
			if err != nil {
				t.Fatal(err)
			}
			w := &World{
				Pool:    newPool(t, cfg, "static", workers),
				Service: Service{Mean: time.Second / mu, Exponential: true},
				Random:  rand.New(rand.NewPCG(seed, 1)),
			}
			means = append(means, play(t, w, s).Response.Mean()/1e9)
		}
		mean, sd := stat.MeanStdDev(means, nil)
		half := distuv.StudentsT{Nu: replications - 1, Sigma: 1}.Quantile(0.999) * sd / math.Sqrt(replications)
		if math.Abs(mean-want.R) > half {
			t.Errorf("%v: mean response %.4f ± %.4f s (99.8 %%), exact %.4f s", law, mean, half, want.R)
		}
		t.Logf("%v: mean response %.4f ± %.4f s, exact %.4f s", law, mean, half, want.R)
	}
}

// The node's own code decides in the twin: equal inputs give equal runs.
func TestReplay(t *testing.T) {
	t.Parallel()
	cold := func() uint64 {
		w := &World{Pool: newPool(t, study(), "ewma", 0), Service: Service{Mean: 500 * time.Millisecond}, Start: time.Millisecond}
		return play(t, w, fourCycles(t)).Cold.Truth
	}
	if a, b := cold(), cold(); a != b {
		t.Errorf("cold %d, then %d", a, b)
	}
}

func BenchmarkFourCycles(b *testing.B) {
	s := fourCycles(b)
	b.ReportAllocs()
	for b.Loop() {
		w := &World{Pool: newPool(b, study(), "ewma", 0), Service: Service{Mean: 500 * time.Millisecond}, Start: time.Millisecond}
		play(b, w, s)
	}
}
