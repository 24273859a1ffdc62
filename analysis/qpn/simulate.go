package qpn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/net"
	"edgebench/analysis/qpn/stats"
)

// slots bounds how many replications of a sweep run at a time.
type slots chan struct{}

// simulate evaluates one point.
func simulate(ctx context.Context, m *Model, lambda float64, o Options, free slots) (*Point, error) {
	pt := &Point{Lambda: lambda, Verdict: Stable, Capacity: m.Capacity, Figures: FiguresAt(m.Name, m.Variant, lambda)}
	if err := pt.solve(m); err != nil {
		return nil, fmt.Errorf("%s at lambda %v: %w", m.Title(), lambda, err)
	}
	if !pt.Verdict.Steady() && o.Trace == 0 {
		return pt, nil // its length is the only thing a run would show
	}
	n, err := m.Net(lambda)
	if err != nil {
		return nil, fmt.Errorf("%s at lambda %v: %w", m.Title(), lambda, err)
	}
	program, err := net.Compile(n)
	if err != nil {
		return nil, fmt.Errorf("%s at lambda %v: %w", m.Title(), lambda, err)
	}
	runs, err := replicate(ctx, program, 0, o.Replications, o, free)
	if err != nil {
		return nil, fmt.Errorf("%s at lambda %v: %w", m.Title(), lambda, err)
	}
	warm, settled := warmUp(runs)
	measures := measure(program, runs, warm, o)
	for pt.Verdict.Steady() && o.RelativeHalf > 0 && !(measures.R.Relative() <= o.RelativeHalf) && len(runs) < o.MaxReplications {
		more, err := replicate(ctx, program, len(runs), min(wanted(measures.R, o), o.MaxReplications), o, free)
		if err != nil {
			return nil, fmt.Errorf("%s at lambda %v: %w", m.Title(), lambda, err)
		}
		runs = append(runs, more...)
		warm, settled = warmUp(runs)
		measures = measure(program, runs, warm, o)
	}
	pt.conclude(runs, measures, warm, settled, program)
	return pt, nil
}

// wanted extrapolates how many replications the half width asks for: it falls
// with their root. A tenth more at least, for the estimate is itself noisy.
func wanted(r stats.Interval, o Options) int {
	factor := r.Relative() / o.RelativeHalf
	return r.N + max(1, r.N/10, int(float64(r.N)*min(factor*factor-1, 1)))
}

// solve settles what needs no simulation: the load and the exact values.
func (pt *Point) solve(m *Model) error {
	if m.Capacity > 0 && !math.IsInf(m.Capacity, 1) {
		if over, ok := errors.AsType[*exact.Overload](exact.Load(pt.Lambda, m.Capacity)); ok {
			pt.overload(over)
			return nil
		}
	}
	if m.Exact == nil {
		return nil
	}
	r, err := m.Exact(pt.Lambda)
	if over, ok := errors.AsType[*exact.Overload](err); ok {
		pt.Capacity = over.Capacity
		pt.overload(over)
		return nil
	}
	if _, large := errors.AsType[*exact.TooLarge](err); large {
		return nil
	}
	if err == nil {
		pt.Exact = &r
	}
	return err
}

func (pt *Point) overload(over *exact.Overload) {
	if over.Critical() {
		pt.Verdict = Critical
		pt.Reason = fmt.Sprintf("arrivals equal the capacity of %.6g/s: means grow with the length of the run", over.Capacity)
		return
	}
	pt.Verdict = Unstable
	pt.Reason = fmt.Sprintf("arrivals exceed the capacity of %.6g/s: the queue grows by %.6g/s for ever", over.Capacity, over.Lambda-over.Capacity)
}

// keepsUp is the share of the arrivals that must leave while the population grows:
// below it the runs are on their way up, not late in settling.
const keepsUp = 0.9

// conclude fills in what the runs showed.
func (pt *Point) conclude(runs []*net.Observation, measures *Measures, warm int, settled bool, program *net.Program) {
	pt.Replications, pt.WarmUp = len(runs), warm
	for _, o := range runs {
		pt.Departures += o.Departures
		pt.Events += o.Events
	}
	if trace := runs[0].Trace; trace != nil {
		pt.Trace, pt.Places = trace, program.Places()
		for i := range pt.Places {
			pt.Queues = append(pt.Queues, program.HasQueue(i))
		}
	}
	if !pt.Verdict.Steady() {
		return
	}
	growing, by := grows(runs)
	correlation, surprise := memory(runs, warm)
	switch {
	case pt.Capacity > 0 && growing && measures.X.Mean+measures.X.Half < keepsUp*pt.Lambda:
		// The bound is not reached: scaling that never starts the last instance,
		// say. Means of such runs measure their length.
		pt.Verdict = Growing
		pt.Reason = fmt.Sprintf("the population grew all along, by %.4g ± %.2g within a run; departures reached %.5g/s of %.5g/s, though at full strength %.6g/s could be served",
			by.Mean, by.Half, measures.X.Mean, pt.Lambda, pt.Capacity)
		return
	case pt.Capacity > 0:
	case growing:
		pt.Verdict = Growing
		pt.Reason = fmt.Sprintf("the population grew all along, by %.4g ± %.2g within a run; departures reached %.5g/s of %.5g/s",
			by.Mean, by.Half, measures.X.Mean, pt.Lambda)
		return
	case surprise > endlessRuns && correlation > endlessMemory:
		pt.Verdict = Growing
		pt.Reason = fmt.Sprintf("no steady state within the runs: their successive parts depend on each other (correlation %.2f), as at critical load", correlation)
		return
	}
	pt.Measures = measures
	pt.warn(settled, growing, correlation, surprise)
}

// replicate makes the runs from..to−1 of a point, as many at a time as there
// are free slots. Run i has the same random streams whatever ran before it.
func replicate(ctx context.Context, p *net.Program, from, to int, o Options, free slots) ([]*net.Observation, error) {
	runs, faults := make([]*net.Observation, to-from), make([]error, to-from)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			select {
			case free <- struct{}{}:
				defer func() { <-free }()
			case <-ctx.Done():
				faults[i] = ctx.Err()
				return
			}
			plan := net.Plan{Departures: o.Departures}
			if from+i == 0 {
				plan.Trace = o.Trace
			}
			s := p.New(o.seed(from + i))
			if faults[i] = s.Run(ctx, plan); faults[i] != nil {
				cancel() // a deadlock in one run is the net's
				return
			}
			runs[i] = s.Observe()
		})
	}
	wg.Wait()
	for _, err := range faults {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return runs, errors.Join(faults...)
}
