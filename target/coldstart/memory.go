package coldstart

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"edgebench/target/smaps"
	"edgebench/target/worker"
)

// shares of the heap that are written to, in per cent, one after the other: each
// begins with the bytes of the one before.
var shares = []int{0, 10, 100}

// memory is the second part: the memory of workers, one runtime at a time.
func (r *Report) memory(ctx context.Context, cfg *Config) error {
	need, free := int64(cfg.Workers+1)*cfg.Heap*5/4, available()
	if free > 0 && need > free {
		r.warn("memory not measured: %d workers with every page written need %s, %s are available; take fewer --workers or less --heap",
			cfg.Workers, megabytes(need), megabytes(free))
		return nil
	}
	for i := range r.Results {
		if err := r.Results[i].measureMemory(ctx, cfg); err != nil {
			return fmt.Errorf("memory of runtime %s: %w", r.Results[i].Runtime, err)
		}
	}
	return nil
}

func (result *Result) measureMemory(ctx context.Context, cfg *Config) (err error) {
	runtime, err := open(cfg, result.Runtime)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runtime.Close()) }() // ends the workers too
	var workers []*worker.Worker
	for n := range cfg.Workers {
		cfg.progress("memory "+result.Runtime, n, cfg.Workers)
		w, err := runtime.Start(ctx)
		if err != nil {
			return err
		}
		workers = append(workers, w)
	}
	template := 0
	if t, ok := runtime.Runtime.(interface{ TemplatePID() int }); ok {
		template = t.TemplatePID()
	}
	if err := result.weigh("fresh", workers, template); err != nil {
		return err
	}
	for _, share := range shares {
		for _, w := range workers {
			if ctx.Err() != nil {
				return nil
			}
			request := worker.Request{Dirty: int(cfg.Heap) / 100 * share, Deadline: time.Now().Add(patience)}
			if share == 100 {
				request.Dirty = int(cfg.Heap)
			}
			if _, err := w.Do(request); err != nil {
				return err
			}
		}
		if err := result.weigh(fmt.Sprintf("dirty_%d", share), workers, template); err != nil {
			return err
		}
	}
	return nil
}

// weigh reads the memory of every process at rest.
func (result *Result) weigh(name string, workers []*worker.Worker, template int) error {
	s := State{Name: name}
	for _, w := range workers {
		m, err := smaps.Read(w.PID)
		if err != nil {
			return err
		}
		s.Workers = s.Workers.Add(m)
	}
	if template != 0 {
		m, err := smaps.Read(template)
		if err != nil {
			return err
		}
		s.Template = &m
	}
	result.Memory = append(result.Memory, s)
	return nil
}

// available is the memory that can be had without swapping, 0 if unknown.
func available() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "MemAvailable:")
	var kb int64
	_, _ = fmt.Sscan(rest, &kb) // stays 0: unknown
	return kb << 10
}
