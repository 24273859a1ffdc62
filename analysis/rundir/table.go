package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Number is a field that may be empty.
type Number struct {
	Value float64
	Known bool
}

// A table reads a CSV file whose columns are found by name, so that writers
// may add columns and order them as they like. Fields are never quoted here.
type table struct {
	lines   *lineReader
	columns []string
	fields  [][]byte
}

// readTable calls row for every complete row of the file; row takes its fields
// from the table. A row with NaN anywhere is skipped and counted.
func readTable(path string, required []string, row func(*table) error) (ReadNotes, error) {
	f, err := open(path)
	if err != nil {
		return ReadNotes{}, err
	}
	defer f.Close()
	return parseTable(path, f, required, row)
}

func parseTable(name string, r io.Reader, required []string, row func(*table) error) (ReadNotes, error) {
	t := &table{lines: newLineReader(name, r)}
	header, err := t.lines.next()
	if errors.Is(err, io.EOF) {
		if t.lines.notes.Torn == "" {
			t.lines.notes.Torn = "empty file"
		}
		return t.lines.notes, nil
	}
	if err != nil {
		return t.lines.notes, err
	}
	t.columns = strings.Split(string(header), ",")
	for _, name := range required {
		if !slices.Contains(t.columns, name) {
			return t.lines.notes, t.lines.fault("columns", header, "no column "+name)
		}
	}
	for {
		line, err := t.lines.next()
		if errors.Is(err, io.EOF) {
			return t.lines.notes, nil
		}
		if err == nil {
			err = t.split(line)
		}
		if err != nil {
			return t.lines.notes, err
		}
		if slices.ContainsFunc(t.fields, isNaN) {
			t.lines.notes.NaNRows++
			continue
		}
		if err := row(t); err != nil {
			return t.lines.notes, err
		}
		t.lines.notes.Rows++
	}
}

func (t *table) split(line []byte) error {
	t.fields = t.fields[:0]
	for more := true; more; {
		var field []byte
		field, line, more = bytes.Cut(line, []byte{','})
		t.fields = append(t.fields, field)
	}
	if len(t.fields) != len(t.columns) {
		return Unreadable(fmt.Errorf("%s:%d: %d fields, expected %d", t.lines.name, t.lines.line, len(t.fields), len(t.columns)))
	}
	return nil
}

// text is the field of a column; nil when the file has no such column.
func (t *table) text(column string) []byte {
	if i := slices.Index(t.columns, column); i >= 0 {
		return t.fields[i]
	}
	return nil
}

// integers fills each destination from its column; an empty field leaves it.
func (t *table) integers(into ...intColumn) error {
	for _, c := range into {
		text := t.text(c.name)
		if len(text) == 0 {
			continue
		}
		v, ok := parseInt(text)
		if !ok {
			return t.lines.fault(c.name, text, "not a whole number")
		}
		*c.into = v
	}
	return nil
}

// numbers is integers for fields that may have a fraction or be unknown.
func (t *table) numbers(into ...numberColumn) error {
	for _, c := range into {
		text := t.text(c.name)
		if len(text) == 0 {
			continue
		}
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return t.lines.fault(c.name, text, "not a number")
		}
		*c.into = Number{v, true}
	}
	return nil
}

type intColumn struct {
	name string
	into *int64
}

type numberColumn struct {
	name string
	into *Number
}
