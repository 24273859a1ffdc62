package request

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"edgebench/profiles"
)

// A table is a CSV file, by column.
type table struct {
	file    string
	names   []string
	columns [][]string
	lines   [][2]int32 // of a row: line and column of its first field
	rows    int
}

// table reads a file once for all functions; nil after a fault.
func (b *builder) table(c profiles.CSV) *table {
	t, known := b.tables[c.File]
	if known {
		return t
	}
	data, err := b.Read(c.File, MaxCSV)
	if err == nil {
		t, err = readTable(c.File, data)
	}
	if err != nil {
		b.fault("csv", "%w", err)
	}
	b.tables[c.File] = t
	return t
}

// readTable reads RFC 4180 text whose first row names the columns.
func readTable(file string, data []byte) (*table, error) {
	reader := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	reader.ReuseRecord = true
	located := func(err error) error {
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			return fmt.Errorf("%s:%d:%d: %w", file, parse.Line, parse.Column, parse.Err)
		}
		return fmt.Errorf("%s: %w", file, err)
	}
	names, err := reader.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: empty: want a first row with the names of the columns", file)
	}
	if err != nil {
		return nil, located(err)
	}
	t := &table{file: file, names: slices.Clone(names), columns: make([][]string, len(names))}
	for i, name := range t.names {
		if name == "" || slices.Index(t.names, name) != i {
			line, column := reader.FieldPos(i)
			return nil, fmt.Errorf("%s:%d:%d: %q is no name for a column, or is there twice", file, line, column, name)
		}
	}
	for {
		row, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, located(err)
		}
		for i, field := range row {
			t.columns[i] = append(t.columns[i], strings.Clone(field))
		}
		line, column := reader.FieldPos(0)
		t.lines = append(t.lines, [2]int32{int32(line), int32(column)})
		t.rows++
	}
	if t.rows == 0 {
		return nil, fmt.Errorf("%s: no row beside the names of the columns", file)
	}
	return t, nil
}

// column is the values of a column as they may stand at a position.
func (b *builder) column(key string, t *table, name string, at position) []string {
	i := slices.Index(t.names, name)
	if i < 0 {
		b.fault(key, "{{csv.%s}}: %s has no such column (it has %s)", name, t.file, strings.Join(t.names, ", "))
		return nil
	}
	switch at {
	case inPath:
		encoded := make([]string, t.rows)
		for k, text := range t.columns[i] {
			encoded[k] = profiles.EncodePath(text)
		}
		return encoded
	case inHeader:
		for k, text := range t.columns[i] {
			if hasControl(text) {
				b.fault(key, "%s:%d:%d: the row's %s has a line end or another control character, which a header cannot hold", t.file, t.lines[k][0], t.lines[k][1], name)
				break
			}
		}
	}
	return t.columns[i]
}

// csvStream keeps the order of rows apart from other uses of the seed.
const csvStream = 0x637376

// shuffled is an order of n rows drawn from the seed.
func shuffled(n int, seed uint64) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	rand.New(rand.NewPCG(seed, csvStream)).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}
