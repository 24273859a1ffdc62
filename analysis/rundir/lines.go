package rundir

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line of any text file here: a longer one is no row of ours.
const maxLine = 1 << 20

// ReadNotes says what a reader had to leave out. The zero value is a clean read.
type ReadNotes struct {
	Rows    uint64 // rows delivered
	NaNRows uint64 // rows skipped because a number in them was NaN
	Torn    string // what was dropped at the end of the file, empty for nothing
}

// Warnings are the notes as sentences about a file, none for a clean read.
func (n ReadNotes) Warnings(name string) []string {
	var out []string
	if n.Torn != "" {
		out = append(out, fmt.Sprintf("%s: %s; dropped", name, n.Torn))
	}
	if n.NaNRows > 0 {
		out = append(out, fmt.Sprintf("%s: rows skipped, because they held NaN: %d", name, n.NaNRows))
	}
	return out
}

// A lineReader yields the complete lines of a text. A last line without its
// newline is torn, even when it would parse: nobody knows how many digits its
// last number was meant to have.
type lineReader struct {
	name  string
	r     *bufio.Reader
	long  []byte // a line longer than the buffer, joined
	line  int    // number of the line delivered last, from 1
	notes ReadNotes
}

func newLineReader(name string, r io.Reader) *lineReader {
	return &lineReader{name: name, r: bufio.NewReaderSize(r, bufferSize)}
}

// next returns a line without its newline, valid until the next call, or io.EOF.
func (l *lineReader) next() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if err == nil {
		l.line++
		return part[:len(part)-1], nil
	}
	l.long = append(l.long[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.r.ReadSlice('\n')
		l.long = append(l.long, part...)
		if len(l.long) > maxLine {
			return nil, Unreadable(fmt.Errorf("%s:%d: line longer than %d bytes", l.name, l.line+1, maxLine))
		}
	}
	switch {
	case err == nil:
		l.line++
		return l.long[:len(l.long)-1], nil
	case errors.Is(err, io.ErrUnexpectedEOF): // the compressed stream stops before its end
		l.notes.Torn = fmt.Sprintf("ends after line %d, inside a compressed block", l.line)
		return nil, io.EOF
	case errors.Is(err, io.EOF):
		if len(l.long) > 0 {
			l.notes.Torn = fmt.Sprintf("line %d is torn: %.60q", l.line+1, l.long)
		}
		return nil, io.EOF
	}
	return nil, Unreadable(fmt.Errorf("%s: after line %d: %w", l.name, l.line, err))
}

// fault is an error about a field of the line delivered last.
func (l *lineReader) fault(column string, text []byte, why string) error {
	return Unreadable(fmt.Errorf("%s:%d: %s: %.60q: %s", l.name, l.line, column, text, why))
}

// isNaN reports the one text that a number's parser must not take for a
// broken row: other tools write it for "none".
func isNaN(text []byte) bool {
	return len(text) == 3 && (text[0]|0x20) == 'n' && (text[1]|0x20) == 'a' && (text[2]|0x20) == 'n'
}

// parseInt reads a decimal number without allocation.
func parseInt(text []byte) (int64, bool) {
	digits, negative := bytes.CutPrefix(text, []byte{'-'})
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	v := int64(0)
	for _, c := range digits {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	if negative {
		v = -v
	}
	return v, true
}
