// Package trace reads recorded workloads: who was called how often, or when, and
// how long it took. It decides which functions of a trace are played, and it is
// strict: what it does not understand is a fault with file, line and column. What
// real files are known to have wrong (see the formats) is handled and counted in
// notes instead.
//
// Files are streamed and read twice, first to choose, then to keep: memory grows
// with the functions of a trace, and with the calls of the chosen ones only.
package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"edgebench/profiles/arrival"
)

// Open opens a file of a trace by the name it was given.
type Open func(name string) (io.ReadCloser, error)

// A Format is an entry of the registry of traces.
type Format struct {
	Name  string
	Help  string // one line
	Files []File
	// Columns reports whether the format counts calls by column, so that their
	// width and the spacing of calls within mean something.
	Columns bool

	read func(*reading) (arrival.Source, error)
}

// A File is one that a format reads, given under Key.
type File struct {
	Key      string
	Help     string
	Optional bool
	Folder   bool
}

var formats = []Format{azure2019, azure2021, invitro}

// Formats lists the formats by name.
func Formats() []Format { return slices.Clone(formats) }

// FormatOf finds a format by name.
func FormatOf(name string) (Format, bool) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return formats[i], true
}

// A Request says which trace to read and what to make of it.
type Request struct {
	Format string
	Files  map[string]string // by File.Key
	Select Selection
	From   time.Duration // of the trace's time; ≥ 0
	For    time.Duration // of the trace's time; 0 = to its end
	Column time.Duration // width of a column; 0 = one minute

	Speed   float64 // > 0; 1 = as recorded
	Scale   float64 // > 0; 1 = as many calls as recorded
	Spacing string  // of calls within a column, see arrival.Spacings
	Aligned bool    // the first call of a column is on its edge
}

// A Trace is what was read.
type Trace struct {
	Source    arrival.Source
	Functions int      // that have a call in the time asked for
	Calls     uint64   // of those
	Selected  int      // functions
	Kept      uint64   // calls of the selected, before scaling
	Notes     []string // what the files have that is usable but odd
}

// reading is one reading of a trace.
type reading struct {
	Request
	open Open
	out  *Trace
}

// Read reads a trace. The error is Faults, or about a file that cannot be opened.
func Read(r Request, open Open) (*Trace, error) {
	f, ok := FormatOf(r.Format)
	if !ok {
		return nil, fmt.Errorf("unknown trace format %q", r.Format)
	}
	rd := &reading{Request: r, open: open, out: new(Trace)}
	source, err := f.read(rd)
	if err != nil {
		return nil, err
	}
	rd.out.Source = source
	return rd.out, nil
}

func (r *reading) note(format string, args ...any) {
	r.out.Notes = append(r.out.Notes, fmt.Sprintf(format, args...))
}

// noteCount is a note when n > 0.
func (r *reading) noteCount(n int, format string) {
	if n > 0 {
		r.note(format, n)
	}
}

// A Fault is one thing wrong with a file.
type Fault struct {
	File    string
	Line    int // from 1; 0 for the whole file
	Column  int // in bytes, from 1; 0 for the whole line
	Message string
}

// Error reads "invocations.csv:3:17: …".
func (f Fault) Error() string {
	text := f.File
	if f.Line > 0 {
		text += fmt.Sprintf(":%d", f.Line)
	}
	if f.Column > 0 {
		text += fmt.Sprintf(":%d", f.Column)
	}
	return text + ": " + f.Message
}

// Faults are all that were found, at most maxFaults.
type Faults []Fault

const maxFaults = 20

// Error gives one line a fault.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

var errTooMany = errors.New("too many faults")
