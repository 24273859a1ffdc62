package trace

import (
	"math"
	"time"

	"edgebench/profiles/arrival"
)

var azure2021 = Format{
	Name:  "azure2021",
	Help:  "Azure Functions 2021: every call with its end and duration; a function's mean duration becomes the service time asked for",
	Files: []File{{Key: "file", Help: "columns app, func, end_timestamp, duration, in seconds"}},
	read:  func(r *reading) (arrival.Source, error) { return r.calls(r.Files["file"]) },
}

var callColumns = []string{"app", "func", "end_timestamp", "duration"}

// A call is one row: it started at its end less its duration.
type call struct {
	key      string
	start    time.Duration // may be below 0: it was running when the recording began
	duration time.Duration
}

// calls reads calls, which are in no order.
func (r *reading) calls(file string) (arrival.Source, error) {
	called := map[string]*tally{}
	spent := map[string]float64{} // ns
	early, outside := 0, 0
	if err := r.eachCall(file, func(c call) {
		sum := called[c.key]
		if sum == nil {
			sum = new(tally)
			called[c.key] = sum
		}
		sum.all++
		spent[c.key] += float64(c.duration)
		switch {
		case c.start < 0:
			early++
		case !r.asked(c.start):
			outside++
		default:
			sum.calls++
		}
	}); err != nil {
		return nil, err
	}
	r.noteCount(early, "calls that started before the recording, left out: %d")
	r.noteCount(outside, "calls that started outside the time asked for, left out: %d")
	keys, err := r.chosen(file, called)
	if err != nil {
		return nil, err
	}
	if r.out.Kept > arrival.MaxRecorded {
		return nil, Faults{{File: file, Message: "the selected functions have too many calls to hold in memory: select fewer, or a shorter time"}}
	}
	functions := make([]arrival.Function, len(keys))
	place := make(map[string]int32, len(keys))
	for i, k := range keys {
		functions[i] = arrival.Function{Name: k, Service: time.Duration(spent[k] / float64(called[k].all))}
		place[k] = int32(i)
	}
	instants := make([]arrival.Instant, 0, r.out.Kept)
	if err := r.eachCall(file, func(c call) {
		if i, ok := place[c.key]; ok && c.start >= 0 && r.asked(c.start) {
			instants = append(instants, arrival.Instant{At: c.start - r.From, Function: i})
		}
	}); err != nil {
		return nil, err
	}
	recording, err := arrival.NewRecording("trace", instants, functions, r.For)
	if err == nil {
		recording, err = recording.Scaled(r.Speed, r.Scale)
	}
	if err != nil {
		return nil, Faults{{File: file, Message: err.Error()}}
	}
	return recording, nil
}

func (r *reading) asked(start time.Duration) bool {
	return start >= r.From && (r.For == 0 || start < r.From+r.For)
}

func (r *reading) eachCall(file string, each func(call)) error {
	var at []int
	return r.readTable(file, func(t *table) {
		at = t.columns(callColumns...)
		t.required(at, callColumns...)
	}, func(t *table) {
		key, ok := keyOf(t, at[:2])
		if !ok {
			return
		}
		end, ok := t.seconds(at[2])
		duration, okDuration := t.seconds(at[3])
		if !ok || !okDuration {
			return
		}
		if duration < 0 {
			t.fault(at[3], "%q is below 0", clip(t.fields[at[3]]))
			return
		}
		each(call{key, end - duration, duration})
	})
}

// seconds reads a number of seconds of any sign, to the nanosecond.
func (t *table) seconds(i int) (time.Duration, bool) {
	if len(t.fields[i]) == 0 {
		t.fault(i, "a number of seconds is missing")
		return 0, false
	}
	x, ok := t.number(i)
	if ok && math.Abs(x) > arrival.MaxLength.Seconds() {
		t.fault(i, "%q is more than %v", clip(t.fields[i]), arrival.MaxLength)
		return 0, false
	}
	return time.Duration(math.Round(x * 1e9)), ok
}
