package profiles

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Fault is one thing wrong with a profile.
type Fault struct {
	File    string // file, "--set key" or the flag that the value came from
	Line    int    // from 1; 0 where there is none
	Column  int    // from 1; 0 where there is none
	Key     string // path of the key, as in phases[2].rate; empty for the whole file
	Message string
}

// Error reads "bursty.yaml:12:9: phases[2].rate: 30: missing unit, …", or
// "--set seed: …".
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.Column > 0 {
		fmt.Fprintf(&b, ":%d", f.Column)
	}
	if f.Key != "" && !f.namedByFlag() {
		b.WriteString(": " + f.Key)
	}
	b.WriteString(": " + f.Message)
	return b.String()
}

// namedByFlag: "--url" alone, or "--set KEY" of this very key, says it already.
func (f Fault) namedByFlag() bool {
	if !strings.HasPrefix(f.File, "--") {
		return false
	}
	key, isSet := strings.CutPrefix(f.File, setPrefix)
	return !isSet || key == f.Key
}

// Faults is every fault of a profile, in the order of the text; never empty when
// returned as an error.
type Faults []Fault

// maxPrinted bounds the text of a hopeless file; all faults stay in the slice.
const maxPrinted = 50

// Error gives one line a fault.
func (fs Faults) Error() string {
	lines := make([]string, 0, min(len(fs), maxPrinted+1))
	for _, f := range fs[:min(len(fs), maxPrinted)] {
		lines = append(lines, f.Error())
	}
	if more := len(fs) - maxPrinted; more > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more faults", fs[0].File, more))
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single Fault.
func (fs Faults) Unwrap() []error {
	errs := make([]error, len(fs))
	for i, f := range fs {
		errs[i] = f
	}
	return errs
}

// err sorts the faults, those of the file before those of flags, and is nil when
// there are none.
func (fs Faults) err() error {
	if len(fs) == 0 {
		return nil
	}
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(flagRank(a), flagRank(b)),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		)
	})
	return fs
}

func flagRank(f Fault) int {
	if strings.HasPrefix(f.File, "--") {
		return 1
	}
	return 0
}
