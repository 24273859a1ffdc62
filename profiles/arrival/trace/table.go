package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line: a day of seconds with long counts is a tenth of it.
const maxLine = 8 << 20

// A table reads comma-separated values line by line. Fields are not quoted in
// these formats; a pair of quotes around a field without a comma is taken off.
type table struct {
	file   string
	lines  *bufio.Scanner
	line   int
	text   []byte
	fields [][]byte
	faults Faults
}

// readTable calls each for every line but the first, which header takes. It stops
// at the first fault of the header and after maxFaults of others.
func (r *reading) readTable(name string, header func(*table), each func(*table)) error {
	f, err := r.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	t := newTable(name, f)
	if !t.next() {
		t.faultLine("empty: a header is missing")
	}
	if len(t.faults) == 0 {
		header(t)
	}
	width := len(t.fields)
	if len(t.faults) > 0 {
		return t.faults
	}
	for t.next() {
		if len(t.fields) != width {
			t.faultLine("%d fields, the header has %d", len(t.fields), width)
		} else {
			each(t)
		}
		if len(t.faults) >= maxFaults {
			t.faultLine("%v: the rest was not read", errTooMany)
			break
		}
	}
	if len(t.faults) > 0 {
		return t.faults
	}
	return nil
}

func newTable(name string, r io.Reader) *table {
	t := &table{file: name, lines: bufio.NewScanner(r)}
	t.lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	return t
}

// next takes the next line that is not blank apart.
func (t *table) next() bool {
	for t.lines.Scan() {
		t.line++
		t.text = t.lines.Bytes()
		if t.line == 1 {
			t.text = bytes.TrimPrefix(t.text, []byte("\xef\xbb\xbf")) // a byte order mark
		}
		if len(bytes.TrimSpace(t.text)) == 0 {
			continue
		}
		t.fields = t.fields[:0]
		for rest, more := t.text, true; more; {
			var field []byte
			field, rest, more = bytes.Cut(rest, []byte{','})
			t.fields = append(t.fields, unquoted(field))
		}
		return true
	}
	if err := t.lines.Err(); err != nil {
		t.line++
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("the line is longer than %d bytes", maxLine)
		}
		t.faultLine("%v", err)
	}
	return false
}

func unquoted(field []byte) []byte {
	field = bytes.TrimSpace(field)
	if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
		return field[1 : n-1]
	}
	return field
}

// fault is about field i of the current line.
func (t *table) fault(i int, format string, args ...any) {
	column := 1
	for range i {
		column += bytes.IndexByte(t.text[column-1:], ',') + 1
	}
	t.faults = append(t.faults, Fault{File: t.file, Line: t.line, Column: column, Message: fmt.Sprintf(format, args...)})
}

func (t *table) faultLine(format string, args ...any) {
	t.faults = append(t.faults, Fault{File: t.file, Line: t.line, Message: fmt.Sprintf(format, args...)})
}

// columns finds where the header has each of the names, whatever their case; -1
// where it does not.
func (t *table) columns(names ...string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		at[i] = -1
		for j, f := range t.fields {
			if strings.EqualFold(string(f), name) {
				at[i] = j
			}
		}
	}
	return at
}

// required reports the names that columns did not find.
func (t *table) required(at []int, names ...string) {
	for i, name := range names {
		if at[i] < 0 {
			t.faultLine("the header has no column %s", name)
		}
	}
}

// clip keeps a quoted text short.
func clip(b []byte) string {
	const most = 40
	if len(b) <= most {
		return string(b)
	}
	return strings.ToValidUTF8(string(b[:most]), "") + "…"
}
