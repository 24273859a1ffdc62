package qpn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"edgebench/analysis/qpn/net"
)

// Progress is told of every point when it is finished; calls do not overlap.
type Progress func(done, of int, pt *Point)

// Sweep evaluates a model at each arrival rate, replications in parallel. All
// points share their random numbers, so that a curve is smoother than its
// intervals. When ctx ends, or a point fails, the points that were finished are
// returned with the error, in the order of lambdas. progress may be nil.
func Sweep(ctx context.Context, m *Model, lambdas []float64, o Options, progress Progress) ([]*Point, error) {
	if err := errors.Join(checkLambdas(lambdas), o.Validate()); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	var (
		free   = make(slots, o.Workers)
		ahead  = make(chan struct{}, o.Workers+1) // points begun: bounds the memory of finished runs
		points = make([]*Point, len(lambdas))
		faults = make([]error, len(lambdas))
		wg     sync.WaitGroup
		mu     sync.Mutex
		done   int
	)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for i, lambda := range lambdas {
		ahead <- struct{}{}
		wg.Go(func() {
			defer func() { <-ahead }()
			if faults[i] = ctx.Err(); faults[i] != nil {
				return
			}
			pt, err := simulate(ctx, m, lambda, o, free)
			if err != nil {
				faults[i] = err
				cancel(err)
				return
			}
			points[i] = pt
			mu.Lock()
			defer mu.Unlock()
			if done++; progress != nil {
				progress(done, len(lambdas), pt)
			}
		})
	}
	wg.Wait()
	finished := points[:0]
	for _, pt := range points {
		if pt != nil {
			finished = append(finished, pt)
		}
	}
	return finished, context.Cause(ctx)
}

// A Cost is what a sweep will take.
type Cost struct {
	Points, Runs int     // points to simulate and their runs
	Departures   float64 // in all
	Time         time.Duration
}

func (c Cost) String() string {
	return fmt.Sprintf("%d points, %d runs, %.3g departures, about %s", c.Points, c.Runs, c.Departures, c.Time.Round(time.Second/10))
}

// estimateDepartures is how long the trial run is that Estimate times.
const estimateDepartures = 20_000

// Estimate predicts the cost of a sweep from a short trial run at its middle.
// Replications that a relative half width may add are not in it.
func Estimate(ctx context.Context, m *Model, lambdas []float64, o Options) (Cost, error) {
	if err := errors.Join(checkLambdas(lambdas), o.Validate()); err != nil {
		return Cost{}, err
	}
	o = o.withDefaults()
	var steady []float64
	for _, lambda := range lambdas {
		if !(m.load(lambda) >= 1) {
			steady = append(steady, lambda)
		}
	}
	if len(steady) == 0 {
		return Cost{}, nil
	}
	n, err := m.Net(steady[len(steady)/2])
	if err != nil {
		return Cost{}, err
	}
	p, err := net.Compile(n)
	if err != nil {
		return Cost{}, err
	}
	s := p.New(o.Seed)
	begun := time.Now()
	if err := s.Run(ctx, net.Plan{Departures: estimateDepartures}); err != nil {
		return Cost{}, err
	}
	each := time.Since(begun).Seconds() / estimateDepartures
	c := Cost{Points: len(steady), Runs: len(steady) * o.Replications}
	c.Departures = float64(c.Runs) * float64(o.Departures)
	c.Time = time.Duration(each * c.Departures / float64(min(o.Workers, c.Runs)) * float64(time.Second))
	return c, nil
}
