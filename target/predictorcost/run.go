package predictorcost

import (
	"context"
	"errors"
	"fmt"
	"time"

	"edgebench/target/fitter"
	"edgebench/target/policy"
)

// Config is how much is measured.
type Config struct {
	Budget  time.Duration // for each policy, > 0; default 200 ms
	Repeats int           // fits of each length and fitter, 1 to 10,000; default 10
	Fitters []string      // default all: ours, statsmodels

	Progress func(what string) // may be nil
}

// Default is enough for two digits on a quiet machine.
func Default() Config {
	return Config{Budget: 200 * time.Millisecond, Repeats: 10, Fitters: []string{ours, policy.Statsmodels}}
}

const ours = "ours"

// Validate reports every value out of range at once.
func (c Config) Validate() error {
	var faults []error
	if c.Budget <= 0 || c.Budget > time.Hour {
		faults = append(faults, fmt.Errorf("time %v a policy: out of range, above 0 to 1h", c.Budget))
	}
	if c.Repeats < 1 || c.Repeats > 10_000 {
		faults = append(faults, fmt.Errorf("fits %d: out of range 1..10000", c.Repeats))
	}
	for _, name := range c.Fitters {
		if name != ours && name != policy.Statsmodels {
			faults = append(faults, fmt.Errorf("fitter %q: unknown (have %s, %s)", name, ours, policy.Statsmodels))
		}
	}
	return errors.Join(faults...)
}

// A Report is what was measured.
type Report struct {
	Decisions   []Decision `json:"decisions"`
	Engines     []Engine   `json:"engines"`
	ForecastNS  int64      `json:"forecast_ns"` // one forecast of our fitted model, p50
	Interrupted bool       `json:"interrupted,omitempty"`
}

// Run measures until it is done or ctx ends.
func Run(ctx context.Context, c Config) (*Report, error) {
	r := &Report{}
	tell := c.Progress
	if tell == nil {
		tell = func(string) {}
	}
	for _, spec := range policy.Specs() {
		if spec.Fitter != "" {
			continue // decides as the one that fits by ours
		}
		tell(spec.Name)
		d, err := decide(ctx, spec, c.Budget)
		if ctx.Err() != nil {
			r.Interrupted = true
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		r.Decisions = append(r.Decisions, d)
	}
	took, err := forecast()
	if err != nil {
		return nil, err
	}
	r.ForecastNS = took.Nanoseconds()
	for _, name := range c.Fitters {
		tell("fits by " + name)
		e, err := measure(ctx, name, c.Repeats)
		if ctx.Err() != nil {
			r.Interrupted = true
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		r.Engines = append(r.Engines, e)
	}
	return r, nil
}

// measure is an engine's cost, or why it cannot be measured.
func measure(ctx context.Context, name string, repeats int) (Engine, error) {
	var engine fitter.Engine
	if name == policy.Statsmodels {
		var err error
		if engine, err = fitter.Statsmodels(); err != nil {
			return Engine{Name: name, Missing: err.Error()}, nil
		}
	}
	return fits(ctx, name, engine, repeats)
}
