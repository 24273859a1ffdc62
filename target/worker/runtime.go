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

// Errors of a runtime.
var (
	ErrClosed  = errors.New("worker runtime is closed")   // by Start after Close
	ErrMissing = errors.New("a program is not installed") // by Open, which says which
)

// Options of a runtime. Zero values mean the defaults.
type Options struct {
	Heap         int64         // bytes of touched heap a worker has, one page to 1 TiB; default 100,000,000
	Work         string        // what workers do with the service time, one of Works; default sleep
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

// A spec is a runtime's entry in the registry.
type spec struct {
	help    string
	open    func(Options) (Runtime, error)
	refuses map[string]string // kinds of work it cannot do, with the reason
}

// runtimes is the registry: one file a runtime.
var runtimes = map[string]spec{
	"fork": {
		help: "raw clone of a warm template of this program",
		open: openFork,
		refuses: map[string]string{
			Image: "a forked copy of a Go process can run raw system calls only, and no image library; take exec, python or python-exec",
		},
	},
	"exec":        {help: "the naive start: this program executed again", open: openExec},
	"python":      {help: "fork of a warm python3 template with the imports done", open: openPython},
	"python-exec": {help: "the naive start: python3 executed again, imports and all", open: openPythonExec},
}

// Names lists the runtimes, sorted.
func Names() []string { return slices.Sorted(maps.Keys(runtimes)) }

// Help is one line about a runtime.
func Help(name string) string { return runtimes[name].help }

// Open starts a runtime by name. The error wraps ErrMissing when the machine
// lacks a program that the runtime needs.
func Open(name string, o Options) (Runtime, error) {
	if err := Check(name, o); err != nil {
		return nil, err
	}
	o.fill()
	return runtimes[name].open(o)
}

// Check reports every fault of a choice of runtime at once. It starts nothing,
// so it does not know what the machine lacks.
func Check(name string, o Options) error {
	var faults []error
	o.fill()
	runtime, ok := runtimes[name]
	if !ok {
		faults = append(faults, fmt.Errorf("runtime %q: unknown (have %s)", name, strings.Join(Names(), ", ")))
	}
	if err := checkWork(o.Work); err != nil {
		faults = append(faults, err)
	}
	if why := runtime.refuses[o.Work]; why != "" {
		faults = append(faults, fmt.Errorf("runtime %s: work %s: %s", name, o.Work, why))
	}
	if o.Heap < pageSize || o.Heap > 1<<40 {
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
	if o.Work == "" {
		o.Work = Sleep
	}
	if o.ReadyTimeout == 0 {
		o.ReadyTimeout = 10 * time.Second
	}
	if o.Events == nil {
		o.Events = func(Event) {}
	}
}
