package request

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"edgebench/profiles"
)

// A piece is a part of a template, ready to be written.
type piece struct {
	text   string // literal, when place is empty
	place  string
	column []string // of csv, one value a row
	n      int      // of random
}

// A template is its pieces in turn.
type template []piece

func literal(text string) template { return template{{text: text}} }

// constant reports whether it is the same for every request.
func (t template) constant() bool {
	for _, p := range t {
		if p.place != "" {
			return false
		}
	}
	return true
}

// joined has literals that follow each other in one piece.
func (t template) joined() template {
	var out template
	for _, p := range t {
		if n := len(out); p.place == "" && n > 0 && out[n-1].place == "" {
			out[n-1].text += p.text
			continue
		}
		out = append(out, p)
	}
	return out
}

// Where a template stands decides what its values may hold.
type position uint8

const (
	asIs     position = iota
	inHeader          // no control characters
	inPath            // encoded as a path in the profile is
)

// template compiles parts: secrets become text, columns their values.
func (b *builder) template(key string, parts []profiles.Part, at position, v *values) template {
	var t template
	for _, p := range parts {
		switch p.Place {
		case "":
			t = append(t, piece{text: p.Text})
		case profiles.SecretPlace:
			text := b.variable(key, p.Name)
			if at == inPath {
				text = profiles.EncodePath(text)
			}
			t = append(t, piece{text: text})
		case profiles.CSVPlace:
			if v.table == nil {
				if len(b.faults) == 0 { // else the file's own fault was told
					b.fault(key, "{{csv.%s}} without a csv file: set %s.csv", p.Name, b.key)
				}
				continue
			}
			t = append(t, piece{place: p.Place, column: b.column(key, v.table, p.Name, at)})
		default:
			t = append(t, piece{place: p.Place, n: p.N})
		}
	}
	return t.joined()
}

// values are where the placeholders of one function's requests come from.
type values struct {
	seed    uint64
	counter profiles.Counter
	table   *table
	order   []uint32 // of the rows; nil for the file's
}

// row is the row of a request.
func (v *values) row(index uint64) int {
	i := int(index % uint64(v.table.rows))
	if v.order != nil {
		return int(v.order[i])
	}
	return i
}

// A generator draws what is random in one request after the other, and
// allocates nothing.
type generator struct {
	source rand.PCG
	random *rand.Rand
}

// begin starts the stream of a request, the same whoever makes it.
func (g *generator) begin(seed, index uint64) {
	g.source.Seed(seed, index)
	if g.random == nil {
		g.random = rand.New(&g.source)
	}
}

// write appends the text of a request.
func (t template) write(b []byte, v *values, index uint64, g *generator) []byte {
	for i := range t {
		switch p := &t[i]; p.place {
		case "":
			b = append(b, p.text...)
		case profiles.IndexPlace:
			b = strconv.AppendUint(b, index, 10)
		case profiles.CounterPlace:
			b = strconv.AppendInt(b, v.counter.Start+v.counter.Step*int64(index), 10)
		case profiles.CSVPlace:
			b = append(b, p.column[v.row(index)]...)
		case profiles.RandomPlace:
			b = g.letters(b, p.n)
		case profiles.UUIDPlace:
			b = g.uuid(b)
		}
	}
	return b
}

const letters = "0123456789abcdefghijklmnopqrstuvwxyz"

func (g *generator) letters(b []byte, n int) []byte {
	for range n {
		b = append(b, letters[g.random.IntN(len(letters))])
	}
	return b
}

// uuid writes one of version 4 (RFC 9562, 5.4).
func (g *generator) uuid(b []byte) []byte {
	high := g.random.Uint64()&^0xf000 | 0x4000
	low := g.random.Uint64()&^(3<<62) | 2<<62
	for i, shift := range [...]int{60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0} {
		if i == 8 || i == 12 {
			b = append(b, '-')
		}
		b = append(b, letters[high>>shift&15])
	}
	for i, shift := range [...]int{60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0} {
		if i == 0 || i == 4 {
			b = append(b, '-')
		}
		b = append(b, letters[low>>shift&15])
	}
	return b
}

// hasControl reports what would break a header line apart.
func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
