package live

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"

	"edgebench/analysis/look"
	"edgebench/analysis/rundir"
)

// Bounds of what is kept and told.
const (
	maxLog    = 300 // lines kept
	maxLines  = 40  // new lines told at once; of the others their number
	maxMarks  = 300 // alarms kept
	maxFresh  = 400 // rows told at once; a watcher that needs more gets the whole
	queueSize = 32  // messages that wait for a watcher
)

// A Feed is one run, or one batch, as its watchers are told of it. Its methods
// may be called from any goroutine and return at once.
type Feed struct {
	mu      sync.Mutex
	story   story
	began   int64    // instant 0 of the run, unix ns; 0 before it is known
	early   [][]byte // events from before it
	fresh   update
	seq     uint64
	viewers map[*viewer]struct{}
	watched chan struct{} // closed when the first one came
}

// NewFeed is a feed of something that has not begun.
func NewFeed() *Feed {
	f := &Feed{viewers: map[*viewer]struct{}{}, watched: make(chan struct{})}
	f.story.groups = newGroups()
	f.story.Log = []logLine{}
	f.story.Marks = look.Series{}
	return f
}

// Watched is closed when somebody watches for the first time.
func (f *Feed) Watched() <-chan struct{} { return f.watched }

// Begin tells what run it is, with a note on how it is shown. Events that came before it are placed now.
func (f *Feed) Begin(m *rundir.Manifest, note string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.began = m.StartedUnixNS
	f.story.Head = &head{
		Note: note, Profile: m.Profile, Mode: m.Mode, Target: m.Target, Seed: strconv.FormatUint(m.Seed, 10),
		Simulated: m.Producer == rundir.ProducerTwin, Planned: m.Planned,
		Duration: float64(m.DurationNS) / 1e9, Bands: look.Bands(m.Phases),
	}
	early := f.early
	f.early = nil
	for _, line := range early {
		f.event(line)
	}
	f.fresh = update{} // it is in the story
	f.seq++
	f.tell(f.whole(0))
}

// Second takes one second of the run.
func (f *Feed) Second(v rundir.Interval) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := &f.story.Totals
	t.Scheduled += v.Scheduled
	t.Sent += v.Sent
	t.OK += v.OK
	t.Errors += v.Errors
	t.Dropped += v.Dropped
	t.Cold += v.Cold
	f.row(groupSecond, secondRow(&v))
}

// SoFar takes quantiles of the whole run until now, in ns.
func (f *Feed) SoFar(p50, p99, lagP99 int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.story.SoFar = &soFar{float64(p50) / 1e6, float64(p99) / 1e6, float64(lagP99) / 1e6}
}

// Memory takes one sample of the node's processes.
func (f *Feed) Memory(r *rundir.MonitorRow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.row(groupMemory, memoryRow(r))
}

// row adds a row to a group and to what is new.
func (f *Feed) row(name string, row look.Series) {
	f.story.groups[name].add(row)
	if f.fresh.Rows == nil {
		f.fresh.Rows = map[string][]look.Series{}
	}
	if rows := f.fresh.Rows[name]; len(rows) < maxFresh {
		f.fresh.Rows[name] = append(rows, row)
	}
}

// Event takes a line of events.jsonl. One that cannot be read is left out: the
// file has it.
func (f *Feed) Event(line []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.began == 0 {
		if len(f.early) < maxLog {
			f.early = append(f.early, bytes.Clone(line))
		}
		return
	}
	f.event(line)
}

func (f *Feed) event(line []byte) {
	e := rundir.Event{Raw: line}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	t := float64(e.UnixNS-f.began) / 1e9
	switch e.Event {
	case "node_state":
		f.pool(t, line)
	case "decision":
		f.row(groupDecision, look.Series{t, pointed(e.RateRPS), pointed(e.BaselineRPS), pointed(e.CUSUM), pointed(e.Target)})
	case "alarm":
		if len(f.story.Marks) < maxMarks {
			f.story.Marks = append(f.story.Marks, t)
			f.fresh.Marks = append(f.fresh.Marks, t)
		}
	}
	said, listed := lineOf(&e, t)
	if !listed {
		return
	}
	f.story.Log = append(f.story.Log, said)
	if n := len(f.story.Log); n > 2*maxLog {
		f.story.Log = append([]logLine{}, f.story.Log[n-maxLog:]...)
	}
	if len(f.fresh.Log) < maxLines {
		f.fresh.Log = append(f.fresh.Log, said)
		return
	}
	f.fresh.Unsaid++
}

func (f *Feed) pool(t float64, line []byte) {
	var s struct {
		Busy     *int64 `json:"busy"`
		Idle     *int64 `json:"idle"`
		Starting *int64 `json:"starting"`
		OneOffs  *int64 `json:"oneoffs"`
		Waiting  *int64 `json:"waiting"`
	}
	if json.Unmarshal(line, &s) == nil {
		f.row(groupPool, look.Series{t, pointed(s.Busy), pointed(s.Idle), pointed(s.Starting), pointed(s.OneOffs), pointed(s.Waiting)})
	}
}

// Flush tells the watchers what is new.
func (f *Feed) Flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flush()
}

func (f *Feed) flush() {
	fresh := f.fresh
	f.fresh = update{}
	f.seq++
	if len(f.viewers) == 0 {
		return
	}
	fresh.Seq, fresh.Totals, fresh.SoFar = f.seq, f.story.Totals, f.story.SoFar
	f.tell(message{name: "update", id: f.seq, data: encode(fresh), last: f.story.End != nil})
}

// End tells how it ended, and is the last word.
func (f *Feed) End(verdict, says string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.story.End = &end{verdict, says}
	f.fresh.End = f.story.End
	f.flush()
}

// encode never fails: what is encoded holds numbers and text.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte("null")
	}
	return data
}
