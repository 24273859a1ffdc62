package fitter

import (
	"slices"
	"sync"
	"time"

	"edgebench/target/policy"
)

// Options of a fitter. The functions are called from several goroutines, may be
// nil, and must not block.
type Options struct {
	Engine    Engine                              // what fits; default this binary
	Answered  func(forecast []float64, err error) // an answer: a forecast, or why there is none
	Events    func(Event)
	HungAfter time.Duration // when a question's process is given up; > 0, default 10s
}

// An Event is something in a fitter's life.
type Event struct {
	Kind   EventKind
	PID    int           // FitterStart, FitterEnd; 0 for one that could not start
	Err    error         // FitterEnd: why
	Waited time.Duration // ForecastLate: since the question that is unanswered
}

// EventKind is the name of an event as it stands in events.jsonl.
type EventKind string

// Kinds of events.
const (
	FitterStart  EventKind = "fitter_start"
	FitterEnd    EventKind = "fitter_end"    // ended without being asked to, or could not start
	ForecastLate EventKind = "forecast_late" // asked again before it had answered
)

// Stats are totals, and quantiles of the last fits as measured in the process.
type Stats struct {
	PID            int // 0 for none
	Answers        uint64
	Refused        uint64 // of the answers: no forecast
	Late           uint64
	Ends           uint64
	FitP50, FitP99 time.Duration
}

// A Fitter is a forecaster with a process. It is safe for concurrent use.
type Fitter struct {
	options   Options
	questions chan []byte // at most one: asked, and not yet taken by a process
	closing   chan struct{}
	closed    chan struct{}
	once      sync.Once

	mu    sync.Mutex
	asked time.Time // of the unanswered question, zero for none
	stats Stats
	fits  [256]time.Duration // the last ones, by Answers modulo their number
}

// Open starts a fitter. It cannot fail: a process that cannot be started is tried
// again, as one that has ended is.
func Open(o Options) *Fitter {
	if o.HungAfter == 0 {
		o.HungAfter = 10 * time.Second
	}
	if o.Answered == nil {
		o.Answered = func([]float64, error) {}
	}
	if o.Events == nil {
		o.Events = func(Event) {}
	}
	f := &Fitter{
		options: o, questions: make(chan []byte, 1),
		closing: make(chan struct{}), closed: make(chan struct{}),
	}
	go f.live()
	return f
}

// Forecast passes the question on and never waits: its answer is always that
// the forecast is pending. While another is unanswered the question is late: it
// takes the place of one that no process has taken yet, else it is dropped.
func (f *Fitter) Forecast(q policy.Question) ([]float64, error) {
	message := appendQuestion(nil, q)
	f.mu.Lock()
	waited := time.Duration(0)
	if f.asked.IsZero() {
		f.asked = time.Now()
		f.questions <- message // there is room: no other question is under way
	} else {
		waited = time.Since(f.asked)
		f.stats.Late++
		select {
		case <-f.questions:
			f.questions <- message
		default:
		}
	}
	f.mu.Unlock()
	if waited > 0 {
		f.options.Events(Event{Kind: ForecastLate, Waited: waited})
	}
	return nil, policy.ErrPending
}

// answered takes an answer, or with nil the loss of the question.
func (f *Fitter) answered(a *answer) {
	f.mu.Lock()
	f.asked = time.Time{}
	if a == nil {
		f.mu.Unlock()
		return
	}
	f.fits[f.stats.Answers%uint64(len(f.fits))] = a.took
	f.stats.Answers++
	if a.err != nil {
		f.stats.Refused++
	}
	f.mu.Unlock()
	f.options.Answered(a.forecast, a.err)
}

// Stats describes the fitter.
func (f *Fitter) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.stats
	if n := int(min(s.Answers, uint64(len(f.fits)))); n > 0 {
		sorted := slices.Sorted(slices.Values(f.fits[:n]))
		s.FitP50, s.FitP99 = sorted[n/2], sorted[min(n-1, n*99/100)]
	}
	return s
}

// Close ends the process and returns when it is reaped.
func (f *Fitter) Close() {
	f.once.Do(func() { close(f.closing) })
	<-f.closed
}
