package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Runtime starts workers. It is safe for concurrent use.
type Runtime interface {
	// Start returns a worker that has greeted. ctx bounds the start alone.
	Start(ctx context.Context) (*Worker, error)
	// Close kills the workers that are left and returns when every process of the
	// runtime is reaped. Starts in progress fail with ErrClosed.
	Close() error
}

// ErrClosed is returned by Start after Close.
var ErrClosed = errors.New("worker runtime is closed")

// Options of a runtime. Zero values mean the defaults.
type Options struct {
	Heap         int64         // bytes of touched heap a worker has, one page to 1 TiB; default 100,000,000
	ReadyTimeout time.Duration // bound of one process's start-up; default 10s

	// Events, if set, is told what happens beside the calls. It is called from
	// several goroutines and must not block.
	Events func(Event)
}

// An Event is something in a runtime's life that no call returns.
type Event struct {
	Kind    EventKind
	PID     int           // of the template; 0 for a fallback
	StartUp time.Duration // of a template that started
	Err     error         // why the template ended, could not start, or was not there
}

// EventKind is the name of an event as it stands in events.jsonl.
type EventKind string

// Kinds of events.
const (
	TemplateStart EventKind = "template_start"
	TemplateEnd   EventKind = "template_end"  // ended without being asked to, or could not start
	Fallback      EventKind = "exec_fallback" // a worker was started by exec because no template lives
)

// runtimes is the registry: one file a runtime.
var runtimes = map[string]func(Options) (Runtime, error){
	"fork": openFork,
	"exec": openExec,
}

// Names lists the runtimes, sorted.
func Names() []string { return slices.Sorted(maps.Keys(runtimes)) }

// Open starts a runtime by name.
func Open(name string, o Options) (Runtime, error) {
	open, ok := runtimes[name]
	if !ok {
		return nil, fmt.Errorf("worker runtime %q: want one of %s", name, strings.Join(Names(), ", "))
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.fill()
	return open(o)
}

// Validate reports every fault at once.
func (o *Options) Validate() error {
	var faults []error
	if o.Heap != 0 && (o.Heap < pageSize || o.Heap > 1<<40) {
		faults = append(faults, fmt.Errorf("worker heap of %d bytes: outside %d to %d", o.Heap, pageSize, int64(1)<<40))
	}
	if o.ReadyTimeout < 0 {
		faults = append(faults, fmt.Errorf("worker ready timeout %v: negative", o.ReadyTimeout))
	}
	return errors.Join(faults...)
}

func (o *Options) fill() {
	if o.Heap == 0 {
		o.Heap = 100_000_000
	}
	if o.ReadyTimeout == 0 {
		o.ReadyTimeout = 10 * time.Second
	}
	if o.Events == nil {
		o.Events = func(Event) {}
	}
}
