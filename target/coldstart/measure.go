package coldstart

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"edgebench/target/worker"
)

// patience bounds one request and one worker's end.
const patience = 30 * time.Second

// Run measures until it is done or ctx ends; then the report has what there is.
// An error comes with a report too, but for one of the configuration.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r := &Report{
		SchemaVersion: SchemaVersion, Planned: cfg.Starts, Workers: cfg.Workers, HeapBytes: cfg.Heap,
		Work: cfg.Work, Seed: cfg.Seed, Warnings: []string{},
		Machine: fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
	}
	for _, name := range cfg.Runtimes {
		r.Results = append(r.Results, Result{Runtime: name, Memory: []State{}})
	}
	err := r.starts(ctx, &cfg)
	if err == nil && ctx.Err() == nil && cfg.Workers > 0 {
		err = r.memory(ctx, &cfg)
	}
	for i := range r.Results {
		r.Results[i].summarize()
	}
	if r.Interrupted = ctx.Err() != nil; r.Interrupted {
		err = nil // whatever fails then fails because of that
	}
	return r, err
}

// An opened runtime is one that is being measured.
type opened struct {
	worker.Runtime
	template  atomic.Int64 // ns of the template's start, 0 without
	fallbacks atomic.Int64
}

func open(cfg *Config, name string) (*opened, error) {
	o := new(opened)
	var err error
	o.Runtime, err = worker.Open(name, worker.Options{Heap: cfg.Heap, Work: cfg.Work, Events: func(e worker.Event) {
		switch e.Kind {
		case worker.TemplateStart:
			o.template.Store(int64(e.StartUp))
		case worker.Fallback:
			o.fallbacks.Add(1)
		}
	}})
	if err != nil {
		return nil, fmt.Errorf("runtime %s: %w", name, err)
	}
	return o, nil
}

// starts is the first part: starts of all runtimes, interleaved.
func (r *Report) starts(ctx context.Context, cfg *Config) (err error) {
	all := make([]*opened, len(r.Results))
	defer func() {
		for _, o := range all {
			if o != nil {
				err = errors.Join(err, o.Close())
			}
		}
	}()
	for i := range r.Results {
		result := &r.Results[i]
		cfg.progress("open "+result.Runtime, 0, cfg.Starts)
		if all[i], err = open(cfg, result.Runtime); err != nil {
			return err
		}
		if a, ok := all[i].Runtime.(interface{ About() string }); ok {
			result.About = a.About()
		}
		if ns := all[i].template.Load(); ns != 0 {
			result.TemplateNS = &ns
		}
	}
	order := rand.New(rand.NewPCG(cfg.Seed, 0x6f72646572)) // "order"
	for round := -1; round < cfg.Starts; round++ {         // -1 does not count
		cfg.progress("start", max(round, 0), cfg.Starts)
		for _, i := range order.Perm(len(all)) {
			if ctx.Err() != nil {
				return nil
			}
			result := &r.Results[i]
			s, err := one(ctx, all[i])
			if err != nil {
				return fmt.Errorf("runtime %s: %w", result.Runtime, err)
			}
			if round >= 0 {
				result.starts = append(result.starts, s)
			}
		}
	}
	for i, o := range all {
		if n := o.fallbacks.Load(); n > 0 {
			r.warn("%s: its template was lost; %d starts were by exec and count among the others", r.Results[i].Runtime, n)
		}
	}
	return nil
}

// one is the life of one worker: two requests without a service time.
func one(ctx context.Context, runtime *opened) (start, error) {
	w, err := runtime.Start(ctx)
	if err != nil {
		return start{}, err
	}
	defer w.Stop(patience)
	s := start{ready: w.StartUp}
	for _, latency := range []*time.Duration{&s.first, &s.second} {
		begun := time.Now()
		if _, err := w.Do(worker.Request{Deadline: begun.Add(patience)}); err != nil {
			return start{}, err
		}
		*latency = time.Since(begun)
	}
	return s, nil
}

func (r *Report) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}
