// Package convert makes a profile of what other tools read or write: a curl
// command line, a HAR file, k6's options, vegeta's targets. Each format reads its
// text into a draft; the draft becomes a profile that was checked as any other is,
// with a note on everything that could not be carried over or changes on the way.
//
// Credentials never reach the profile: they become ${NAME}, and the notes say what
// to put there. The package opens no file and asks nobody.
package convert

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"edgebench/profiles"
)

// Options say what the text itself does not.
type Options struct {
	File     string // the text's name, for notes and faults
	Name     string // of the profile
	Rate     string // requests per second as in a profile; empty: what the format has, or DefaultRate
	Duration string // length of the load; empty: what the format has, or DefaultDuration
	Host     string // of HAR: whose requests to take, as host, host:port or origin; empty: the only one
	URL      string // of k6: the target; empty: a placeholder
}

// What is taken where a text says nothing of how often and how long.
const (
	DefaultRate     = "10/s"
	DefaultDuration = "30s"
)

// A Result is a profile and what is to be known about it.
type Result struct {
	Profile []byte
	Notes   []Note   // in the order of the text
	Secrets []Secret // in the order of the text
}

// A Note is one thing that was not carried over, or not as it was.
type Note struct {
	At   string // FILE:LINE:COLUMN, or the like
	Text string
}

// A Secret is a variable of the environment that stands for a credential.
type Secret struct {
	Name string
	Of   string // what it stands for, as "the header Cookie"
}

// A Format is one kind of text.
type Format struct {
	Name string
	Help string
	// guess looks at the first bytes.
	guess func(head []byte) bool
	read  func(r io.Reader, d *draft)
}

// Formats is the registry, in the order in which they are tried.
func Formats() []Format {
	return []Format{
		{"curl", "one or more curl command lines, as a shell reads them", guessCurl, readCurl},
		{"har", "HTTP archive of a browser or a proxy", guessHAR, readHAR},
		{"vegeta", "vegeta's targets, http or json format", guessVegeta, readVegeta},
		{"k6", "options of k6 as JSON: arrival-rate scenarios and thresholds", guessK6, readK6},
	}
}

// headSize is how much of a text is looked at to guess its format.
const headSize = 4096

// MaxText bounds a text that is read whole. A HAR file is not.
const MaxText = 16 << 20

// Convert reads text of the named format; "" guesses. Faults of the text are
// profiles.Faults, all at once.
func Convert(r io.Reader, format string, o Options) (*Result, error) {
	in := bufio.NewReaderSize(r, headSize)
	head, err := in.Peek(headSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
		if f.Name == format || format == "" && f.guess(head) {
			d := newDraft(o)
			f.read(in, d)
			return d.finish(f.Name)
		}
	}
	fault := profiles.Fault{File: o.File, Message: "cannot tell what this is, say so with --from " + strings.Join(names, "|")}
	switch {
	case format != "":
		fault = profiles.Fault{File: "--from", Message: profiles.UnknownName("format", format, names)}
	case len(head) == 0:
		fault.Message = "empty"
	}
	return nil, profiles.Faults{fault}
}

// text reads all there is, and reports what is too long.
func (d *draft) text(r io.Reader) (string, bool) {
	data, err := io.ReadAll(io.LimitReader(r, MaxText+1))
	switch {
	case err != nil:
		d.fault(position{}, "%v", err)
	case len(data) > MaxText:
		d.fault(position{}, "longer than %d MiB", MaxText>>20)
	default:
		return string(data), true
	}
	return "", false
}

// A position in the text, from 1; the zero value is nowhere in particular.
type position struct{ line, column int }

// advance is the position after text.
func (p position) advance(text string) position {
	if n := strings.Count(text, "\n"); n > 0 {
		p.line += n
		p.column = 1
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	p.column += len(text)
	return p
}

func (d *draft) fault(at position, format string, args ...any) {
	d.faults = append(d.faults, profiles.Fault{File: d.options.File, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)})
}

// note tells of something that is not as it was.
func (d *draft) note(at position, format string, args ...any) {
	where := d.options.File
	if at.line > 0 {
		where = fmt.Sprintf("%s:%d:%d", where, at.line, at.column)
	}
	n := Note{At: where, Text: fmt.Sprintf(format, args...)}
	for _, told := range d.notes {
		if told == n {
			return
		}
	}
	d.notes = append(d.notes, n)
}

// lost tells of something that was not carried over.
func (d *draft) lost(at position, what, why string) {
	d.note(at, "%s: not carried over: %s", what, why)
}
