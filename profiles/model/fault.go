package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Fault is one thing wrong with a model or with what it was set to.
type Fault struct {
	File         string // file, or "--set"
	Line, Column int    // from 1; 0 where there is none
	Key          string // path, as in places[2].queue.servers
	Message      string
}

// Error reads "cls.yaml:12:9: places[2].queue.servers: unknown name m".
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	if f.Key != "" {
		b.WriteString(": " + f.Key)
	}
	return b.String() + ": " + f.Message
}

// Faults is every fault of a model, in the order of the text.
type Faults []Fault

// A hopeless file: how many faults are printed, and how many are looked for.
const (
	maxPrinted = 50
	maxFaults  = 500
)

func (fs Faults) Error() string {
	var lines []string
	for _, f := range fs[:min(len(fs), maxPrinted)] {
		lines = append(lines, f.Error())
	}
	if more := len(fs) - maxPrinted; more > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more faults", fs[0].File, more))
	}
	return strings.Join(lines, "\n")
}

// spot is a place in the text, to blame.
type spot struct {
	line, column int
	key          string
}

func at(n *yaml.Node, key string) spot { return spot{n.Line, n.Column, key} }

// faults collects. The same sentence about the same spot counts once: an
// expression is evaluated many times.
type faults struct {
	file string
	list Faults
}

func (f *faults) add(s spot, format string, args ...any) {
	fault := Fault{f.file, s.line, s.column, s.key, fmt.Sprintf(format, args...)}
	if len(f.list) < maxFaults && !slices.Contains(f.list, fault) {
		f.list = append(f.list, fault)
	}
}

func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	slices.SortStableFunc(f.list, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f.list
}
