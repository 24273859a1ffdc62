package trace

import (
	"errors"
	"io/fs"
	"math"
	"path"
	"strconv"
	"time"

	"edgebench/profiles/arrival"
)

var azure2019 = Format{
	Name:    "azure2019",
	Help:    "Azure Functions 2019: calls a minute of every function of a day, and how long they took",
	Columns: true,
	Files: []File{
		{Key: "invocations", Help: "invocations_per_function_md.anon.dNN.csv"},
		{Key: "durations", Help: "function_durations_percentiles.anon.dNN.csv: the average becomes the service time asked for", Optional: true},
	},
	read: func(r *reading) (arrival.Source, error) {
		return r.counts(r.Files["invocations"], r.Files["durations"], false)
	},
}

var invitro = Format{
	Name:    "invitro",
	Help:    "a folder of In-Vitro: invocations.csv, with columns of minutes or seconds, and durations.csv; memory.csv is not used",
	Columns: true,
	Files:   []File{{Key: "folder", Help: "holds both files", Folder: true}},
	read: func(r *reading) (arrival.Source, error) {
		return r.counts(path.Join(r.Files["folder"], "invocations.csv"), path.Join(r.Files["folder"], "durations.csv"), true)
	},
}

// keyColumns name a function: its id is unique only inside its app.
var keyColumns = []string{"HashOwner", "HashApp", "HashFunction"}

// A countTable is the header of a table of counts.
type countTable struct {
	key   []int // columns of the function's key
	first int   // of the counts
	n     int   // of the counts
}

// header finds the key in any order and the counts behind it, numbered from 1.
func (c *countTable) header(t *table) {
	c.key = t.columns(keyColumns...)
	t.required(c.key, keyColumns...)
	named := map[int]bool{t.columns("Trigger")[0]: true}
	for _, i := range c.key {
		named[i] = true
	}
	for c.first = 0; named[c.first]; c.first++ {
	}
	c.n = len(t.fields) - c.first
	if c.n == 0 {
		t.faultLine("the header has no columns of counts")
	}
	for i := range c.n {
		if got := t.fields[c.first+i]; string(got) != strconv.Itoa(i+1) {
			t.fault(c.first+i, "column %q: the counts begin here and are numbered from 1, so this one is %d", clip(got), i+1)
			return
		}
	}
}

// keyOf joins the parts of a function's key; a missing one is a fault.
func keyOf(t *table, columns []int) (string, bool) {
	var key []byte
	for i, c := range columns {
		if len(t.fields[c]) == 0 {
			t.fault(c, "a part of the function's id is missing")
			return "", false
		}
		if i > 0 {
			key = append(key, '/')
		}
		key = append(key, t.fields[c]...)
	}
	return string(key), true
}

// count is the number of calls in column i.
func (c *countTable) count(t *table, i int) (uint32, bool) {
	field := t.fields[c.first+i]
	var n uint64
	for _, d := range field {
		if n = n*10 + uint64(d-'0'); d < '0' || d > '9' || n > math.MaxUint32 {
			t.fault(c.first+i, "%q is not a number of calls", clip(field))
			return 0, false
		}
	}
	if len(field) == 0 {
		t.fault(c.first+i, "the number of calls is missing")
	}
	return uint32(n), len(field) > 0
}

// window is the columns of the time asked for.
func (r *reading) window(file string, columns int) (from, to int, err error) {
	width := r.Column
	if width == 0 {
		width = time.Minute
	}
	from, to = int(r.From/width), columns
	if r.For > 0 {
		to = min(columns, from+int(r.For/width))
	}
	switch {
	case r.From%width != 0 || r.For%width != 0:
		return 0, 0, Faults{{File: file, Message: "from and for must be whole columns of " + width.String()}}
	case from >= columns:
		return 0, 0, Faults{{File: file, Message: "from " + r.From.String() + " is behind its end: it has " + strconv.Itoa(columns) + " columns of " + width.String()}}
	}
	r.Column = width
	return from, to, nil
}

// counts reads calls by column, and durations unless their file has no name, or
// may be missing and is.
func (r *reading) counts(file, durations string, mayMiss bool) (arrival.Source, error) {
	var c countTable
	var from, to int
	called := map[string]*tally{}
	if err := r.readTable(file, func(t *table) {
		if c.header(t); len(t.faults) > 0 {
			return
		}
		var err error
		if from, to, err = r.window(file, c.n); err != nil {
			t.faults = err.(Faults)
		}
	}, func(t *table) { c.tally(t, from, to, called) }); err != nil {
		return nil, err
	}
	twice := 0
	for _, t := range called {
		if t.rows > 1 {
			twice++
		}
	}
	r.noteCount(twice, "functions with several rows, whose counts are added: %d")
	keys, err := r.chosen(file, called)
	if err != nil {
		return nil, err
	}
	series := make([]arrival.Series, len(keys))
	place := make(map[string]int, len(keys))
	for i, k := range keys {
		series[i].Name, place[k] = k, i
	}
	if err := r.readTable(file, c.header, func(t *table) {
		key, _ := keyOf(t, c.key)
		if i, ok := place[key]; ok {
			series[i].Columns = added(series[i].Columns, c.row(t, from, to))
		}
	}); err != nil {
		return nil, err
	}
	if durations != "" {
		err := r.durations(durations, called, series, place)
		switch {
		case mayMiss && errors.Is(err, fs.ErrNotExist):
			r.note("%s is not there: no service time is asked for", durations)
		case err != nil:
			return nil, err
		}
	}
	return r.source(file, series, to-from)
}

// source makes the counts of a trace a source.
func (r *reading) source(file string, series []arrival.Series, columns int) (arrival.Source, error) {
	spacing, err := arrival.SpacingOf(r.Spacing)
	if err != nil {
		return nil, err
	}
	source := &arrival.Counts{
		Series: series, Columns: columns, Width: r.Column, Speed: r.Speed, Scale: r.Scale, Spacing: spacing, Aligned: r.Aligned,
	}
	if err := source.Validate(); err != nil {
		return nil, Faults{{File: file, Message: err.Error()}}
	}
	return source, nil
}

// tally adds up a row.
func (c *countTable) tally(t *table, from, to int, called map[string]*tally) {
	key, ok := keyOf(t, c.key)
	if !ok {
		return
	}
	sum := called[key]
	if sum == nil {
		sum = new(tally)
		called[key] = sum
	}
	sum.rows++
	for i := range c.n {
		n, ok := c.count(t, i)
		if !ok {
			return
		}
		sum.all += uint64(n)
		if i >= from && i < to {
			sum.calls += uint64(n)
		}
	}
}

// row is the columns of a row that have calls.
func (c *countTable) row(t *table, from, to int) []arrival.Column {
	var columns []arrival.Column
	for i := from; i < to; i++ {
		if n, _ := c.count(t, i); n > 0 {
			columns = append(columns, arrival.Column{Index: uint32(i - from), Count: n})
		}
	}
	return columns
}

// added merges the rows of one function; a sum stays at the largest count.
func added(a, b []arrival.Column) []arrival.Column {
	if len(a) == 0 {
		return b
	}
	sum := make([]arrival.Column, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Index < b[0].Index:
			sum, a = append(sum, a[0]), a[1:]
		case len(a) == 0 || b[0].Index < a[0].Index:
			sum, b = append(sum, b[0]), b[1:]
		default:
			both := uint64(a[0].Count) + uint64(b[0].Count)
			sum = append(sum, arrival.Column{Index: a[0].Index, Count: uint32(min(both, math.MaxUint32))})
			a, b = a[1:], b[1:]
		}
	}
	return sum
}
