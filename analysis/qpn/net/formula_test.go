package net_test

import (
	"errors"
	"math"
	"testing"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/net"
)

// batches returns the mean of the responses of a run and its standard error,
// from 20 batches after the first twentieth.
func batches(o *net.Observation) (mean, se float64) {
	const n = 20
	per := len(o.Responses) / (n + 1)
	var sums [n]float64
	for b := range n {
		for _, r := range o.Responses[(b+1)*per : (b+2)*per] {
			sums[b] += r / float64(per)
		}
		mean += sums[b] / n
	}
	for _, s := range sums {
		se += (s - mean) * (s - mean)
	}
	return mean, math.Sqrt(se / (n * (n - 1)))
}

// A simulated mean lies within five of its own standard errors of the formula.
func TestFormulas(t *testing.T) {
	t.Parallel()
	erlang := law(dist.NewErlang(1.0/3, 3))
	of := func(r exact.Result, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r.R
	}
	chain := func(c exact.CLS) float64 {
		r, err := c.Solve(h2(12).(dist.PhaseMixture))
		return of(r.Result, err)
	}
	mm1 := of(exact.MMc(2, 3, 1))
	for name, c := range map[string]struct {
		net  *net.Net
		want float64
	}{
		"M/M/5":           {single(exponential(12), net.FCFS, 5, exponential(3)), of(exact.MMc(12, 3, 5))},
		"H2/M/5":          {single(h2(12), net.FCFS, 5, exponential(3)), of(exact.GIMc(h2(12).(dist.Transformer), 3, 5))},
		"M/M/1 LIFO":      {single(exponential(2), net.LIFO, 1, exponential(3)), mm1},
		"M/E3/1":          {single(exponential(2), net.FCFS, 1, erlang), of(exact.MG1(2, erlang))},
		"M/E3/1 PS":       {single(exponential(2), net.PS, 1, erlang), of(exact.MG1PS(2, erlang))},
		"M/M/5 PS":        {single(exponential(12), net.PS, 5, exponential(3)), of(exact.MMc(12, 3, 5))},
		"H2/M/∞":          {single(h2(12), net.IS, 0, exponential(3)), of(exact.MMInf(12, 3))},
		"CLS 5×3":         {cls(h2(12), 5, 3, 1, net.First), chain(exact.CLS{Instances: 5, Tokens: 3, Mu: 3})},
		"CLS 5×3 JSQ":     {cls(h2(12), 5, 3, 1, net.Least), chain(exact.CLS{Instances: 5, Tokens: 3, Mu: 3, Order: exact.JSQ})},
		"CLS 5×3 random":  {cls(h2(12), 5, 3, 1, net.Random), chain(exact.CLS{Instances: 5, Tokens: 3, Mu: 3, Order: exact.RandomFree})},
		"CLS 5×3 servers": {cls(h2(12), 5, 3, 3, net.First), chain(exact.CLS{Instances: 5, Tokens: 3, Servers: 3, Mu: 3})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := run(t, c.net, 7, net.Plan{Departures: shorter(200_000)})
			mean, se := batches(o)
			if math.Abs(mean-c.want) > 5*se {
				t.Errorf("R = %.5f ± %.5f (standard error), formula %.5f", mean, se, c.want)
			}
			m := o.Between(1, o.Cuts()-1)
			if !within(m.N, m.X*m.R, 0.01) {
				t.Errorf("Little's law: N = %v, X·R = %v", m.N, m.X*m.R)
			}
		})
	}
}

// The median of M/M/1 response times is ln 2/(mu − lambda).
func TestQuantile(t *testing.T) {
	t.Parallel()
	o := run(t, single(exponential(2), net.FCFS, 1, exponential(3)), 3, net.Plan{Departures: shorter(400_000)})
	for q, want := range map[float64]float64{0.5: math.Ln2, 0.9: math.Log(10), 0.99: math.Log(100)} {
		if got := o.Quantile(q); !within(got, want, 0.05) {
			t.Errorf("quantile %v = %v, want %v", q, got, want)
		}
	}
}

// Cobham's formula for two classes, the urgent first, without interruption:
// wait_k = w0/((1 − s_{k−1})(1 − s_k)), w0 = rho/mu for exponential service.
func TestPriority(t *testing.T) {
	t.Parallel()
	n := single(exponential(1), net.Priority, 1, exponential(3))
	n.Colours = append(n.Colours, net.Colour{Name: "urgent"})
	q := n.Places[0].Queue
	q.Service = append(q.Service, net.Service{Colour: "urgent", Law: exponential(3), Priority: 1})
	urgent := net.Arc{Place: "queue", Colour: "urgent"}
	n.Places = append(n.Places, net.Place{Name: "gate"})
	n.Transitions = append(n.Transitions,
		net.Transition{Name: "alarm", Law: exponential(1), Modes: []net.Mode{{Out: []net.Arc{{Place: "gate", Colour: "urgent"}}}}},
		net.Transition{Name: "enter", Modes: []net.Mode{{In: []net.Arc{{Place: "gate", Colour: "urgent"}}, Out: []net.Arc{urgent}}}},
		net.Transition{Name: "depart urgent", Modes: []net.Mode{{In: []net.Arc{urgent}}}})
	n.Probes = []net.Probe{{Name: "urgent", From: "gate"}}
	o := run(t, n, 5, net.Plan{Departures: shorter(400_000)})
	w0 := 2.0 / 3 / 3
	fast, slow := w0/(1-1.0/3)+1.0/3, w0/((1-1.0/3)*(1-2.0/3))+1.0/3
	mean, se := batches(o)
	if want := (fast + slow) / 2; math.Abs(mean-want) > 5*se {
		t.Errorf("R over both classes = %v ± %v, want %v", mean, se, want)
	}
	if got := o.Between(1, o.Cuts()-1).Probes[0]; !within(got, fast, 0.02) {
		t.Errorf("R of the urgent = %v, want %v", got, fast)
	}
}

// Lost tokens: the share lost and the response of the rest.
func TestDrop(t *testing.T) {
	t.Parallel()
	n := single(exponential(18), net.FCFS, 5, exponential(3))
	n.Places[0].Capacity, n.Places[0].Overflow = 8, net.Drop
	want, lost, err := exact.MMcK(18, 3, 5, 8)
	if err != nil {
		t.Fatal(err)
	}
	o := run(t, n, 11, net.Plan{Departures: shorter(200_000)})
	m := o.Between(1, o.Cuts()-1)
	mean, se := batches(o)
	if math.Abs(mean-want.R) > 5*se {
		t.Errorf("R = %v ± %v, want %v", mean, se, want.R)
	}
	if share := m.Places[0].Lost / (m.Places[0].Lost + m.X); !within(share, lost, 0.03) {
		t.Errorf("share lost %v, want %v", share, lost)
	}
}

// A closed net with think times: machine repair, exact by its birth-death
// chain; infinite timers on an ordinary place.
func TestInfiniteTimers(t *testing.T) {
	t.Parallel()
	const customers = 6
	n := &net.Net{
		Name: "closed", Colours: colours,
		Places: []net.Place{
			{Name: "think", Initial: []net.Tokens{{Colour: "request", N: customers}}},
			{Name: "serve", Queue: &net.Queue{Service: []net.Service{{Colour: "request", Law: exponential(3)}}}},
			{Name: "done"}},
		Transitions: []net.Transition{
			{Name: "submit", Law: exponential(1), Infinite: true, Modes: []net.Mode{{In: []net.Arc{arc("think")}, Out: []net.Arc{arc("serve")}}}},
			{Name: "return", Modes: []net.Mode{{In: []net.Arc{arc("serve")}, Out: []net.Arc{{Place: "think", Colour: "request", New: true}}}}},
		},
	}
	o := run(t, n, 2, net.Plan{Departures: shorter(200_000)})
	m := o.Between(1, o.Cuts()-1)
	p, sum, busy := 1.0, 1.0, 0.0
	for k := range customers {
		p *= float64(customers-k) * 1 / 3
		sum += p
		busy += p
	}
	if x := 3 * busy / sum; !within(m.X, x, 0.01) {
		t.Errorf("X = %v, want %v", m.X, x)
	}
	if u := busy / sum; !within(m.Places[1].Busy, u, 0.01) {
		t.Errorf("busy %v, want %v", m.Places[1].Busy, u)
	}
}

// The same seed gives the same run; the stream of arrivals does not depend on
// what is behind it.
func TestCommonRandomNumbers(t *testing.T) {
	t.Parallel()
	a := run(t, single(h2(12), net.FCFS, 5, exponential(3)), 9, net.Plan{Departures: 50_000})
	b := run(t, single(h2(12), net.FCFS, 5, exponential(3)), 9, net.Plan{Departures: 50_000})
	if a.Time != b.Time || a.Between(0, a.Cuts()-1).R != b.Between(0, b.Cuts()-1).R {
		t.Error("the same seed gave two different runs")
	}
	c := run(t, single(h2(12), net.IS, 0, exponential(1)), 9, net.Plan{Time: a.Time})
	in := func(o *net.Observation) int { return o.Departures + o.Live }
	if in(a) != in(c) {
		t.Errorf("%d arrivals, and %d in front of another queue", in(a), in(c))
	}
	d := run(t, single(h2(12), net.FCFS, 5, exponential(3)), 10, net.Plan{Departures: 50_000})
	if a.Time == d.Time {
		t.Error("another seed gave the same run")
	}
}

// Reset is a new run, and a run that goes on in steps is one run.
func TestResetAndSteps(t *testing.T) {
	t.Parallel()
	s := compile(t, cls(h2(12), 5, 3, 1, net.First)).New(4)
	if err := s.Run(t.Context(), net.Plan{Departures: 20_000}); err != nil {
		t.Fatal(err)
	}
	first := s.Observe()
	s.Reset(4)
	for n := 5_000; n <= 20_000; n += 5_000 {
		if err := s.Run(t.Context(), net.Plan{Departures: n}); err != nil {
			t.Fatal(err)
		}
	}
	second := s.Observe()
	if first.Time != second.Time || first.Firings != second.Firings {
		t.Errorf("ended at %v after %d firings, then at %v after %d", first.Time, first.Firings, second.Time, second.Firings)
	}
}

// What is measured replays the beginning of the run before it, so every buffer
// already has the size it needs.
func TestNoAllocations(t *testing.T) {
	for name, n := range map[string]*net.Net{
		"H2/M/5":  single(h2(12), net.FCFS, 5, exponential(3)),
		"CLS 5×3": cls(h2(12), 5, 3, 1, net.First),
		"PS":      single(h2(2), net.PS, 1, exponential(3)),
	} {
		s := compile(t, n).New(1)
		if err := s.Run(t.Context(), net.Plan{Events: 600_000}); err != nil {
			t.Fatal(err)
		}
		s.Reset(1)
		got := testing.AllocsPerRun(10, func() {
			if err := s.Run(t.Context(), net.Plan{Events: s.Events() + 50_000}); err != nil {
				t.Fatal(err)
			}
		})
		if got != 0 {
			t.Errorf("%s: %v allocations in 50,000 events", name, got)
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := contextDoneAfter(t, 3)
	defer cancel()
	s := compile(t, single(h2(12), net.FCFS, 5, exponential(3))).New(1)
	err := s.Run(ctx, net.Plan{Departures: 1 << 40})
	if !errors.Is(err, ctx.Err()) || s.Events() == 0 {
		t.Errorf("error %v after %d events", err, s.Events())
	}
}
