package predictorcost

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"edgebench/target/arima"
	"edgebench/target/fitter"
	"edgebench/target/policy"
	"edgebench/target/smaps"
)

// An Engine is a fitter and what it costs.
type Engine struct {
	Name    string `json:"name"`
	Missing string `json:"missing,omitempty"` // why nothing is measured
	FirstNS int64  `json:"first_ns"`          // from the start of the process to its first answer
	Fits    []Fit  `json:"fits"`
	Memory  Memory `json:"memory_bytes"` // of the process, afterwards
}

// Memory is smaps.Memory with names.
type Memory struct {
	RSS int64 `json:"rss"`
	PSS int64 `json:"pss"`
	USS int64 `json:"uss"`
}

// A Fit is the cost of fitting ARIMA(2,1,2) to some windows and forecasting one,
// from the question to the answer of the process.
type Fit struct {
	Windows int   `json:"windows"`
	P50NS   int64 `json:"p50_ns"`
	MaxNS   int64 `json:"max_ns"`
}

// Lengths of the series.
var windows = []int{30, 100, 200, 400}

// noted are statsmodels' fits in the notes the project began with, one thread.
var noted = map[int]time.Duration{30: 55 * time.Millisecond, 100: 148 * time.Millisecond, 200: 159 * time.Millisecond, 400: 240 * time.Millisecond}

// fits measures an engine, each length that many times.
func fits(ctx context.Context, name string, engine fitter.Engine, repeats int) (Engine, error) {
	e := Engine{Name: name}
	answers := make(chan error, 1)
	ends := make(chan error, 1)
	begun := time.Now()
	f := fitter.Open(fitter.Options{
		Engine: engine, HungAfter: time.Minute,
		Answered: func(_ []float64, err error) { answers <- err },
		Events: func(ev fitter.Event) {
			if ev.Kind == fitter.FitterEnd {
				select {
				case ends <- ev.Err:
				default:
				}
			}
		},
	})
	defer f.Close()
	ask := func(n int) (time.Duration, error) {
		series := rates(n, rand.New(rand.NewPCG(2, 0)))
		begun := time.Now()
		_, _ = f.Forecast(policy.Question{Order: arima.Order{P: 2, D: 1, Q: 2}, Series: series, Ahead: 1})
		select {
		case err := <-answers:
			return time.Since(begun), err
		case err := <-ends:
			return 0, err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	if _, err := ask(windows[0]); err != nil {
		return e, fmt.Errorf("fitter %s: %w", name, err)
	}
	e.FirstNS = time.Since(begun).Nanoseconds()
	for _, n := range windows {
		var took []int64
		for range repeats {
			d, err := ask(n)
			if err != nil {
				return e, fmt.Errorf("fitter %s, %d windows: %w", name, n, err)
			}
			took = append(took, d.Nanoseconds())
		}
		e.Fits = append(e.Fits, Fit{Windows: n, P50NS: median(took), MaxNS: slices.Max(took)})
	}
	memory, err := smaps.Read(f.Stats().PID)
	e.Memory = Memory(memory)
	return e, err
}

// forecast measures a forecast of the model alone, in this process.
func forecast() (time.Duration, error) {
	series := rates(100, rand.New(rand.NewPCG(2, 0)))
	model, err := arima.Fit(series, arima.Order{P: 2, D: 1, Q: 2})
	if err != nil {
		return 0, err
	}
	var took []int64
	for range 200 {
		begun := time.Now()
		if _, err := model.Forecast(series, 1); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begun).Nanoseconds())
	}
	return time.Duration(median(took)), nil
}
