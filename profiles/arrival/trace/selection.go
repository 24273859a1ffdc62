package trace

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Selection chooses functions of a trace: at most one of its parts is set, none
// means all.
type Selection struct {
	Top    int      // so many with the most calls
	Sample int      // so many by lot
	Seed   uint64   // of the lot: apart from the run's, so that trials play the same functions
	IDs    []string // owner/app/function, or its end where that is unique
}

// tally is what the first pass knows of a function.
type tally struct {
	calls uint64 // in the time asked for
	all   uint64 // in the whole file
	rows  int
}

// choose is the selected functions, those with most calls first. Functions that
// were not called are never chosen.
func (s Selection) choose(called map[string]*tally) ([]string, error) {
	keys := slices.Sorted(maps.Keys(called))
	keys = slices.DeleteFunc(keys, func(k string) bool { return called[k].calls == 0 })
	switch {
	case len(s.IDs) > 0:
		var err error
		if keys, err = s.named(keys); err != nil {
			return nil, err
		}
	case s.Sample > 0:
		lots := make(map[string]uint64, len(keys))
		for _, k := range keys {
			sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, s.Seed), k...))
			lots[k] = binary.BigEndian.Uint64(sum[:])
		}
		slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(lots[a], lots[b]) })
		keys = keys[:min(s.Sample, len(keys))]
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(called[b].calls, called[a].calls), cmp.Compare(a, b))
	})
	if s.Top > 0 {
		keys = keys[:min(s.Top, len(keys))]
	}
	return keys, nil
}

// named finds the functions of IDs, each once.
func (s Selection) named(keys []string) ([]string, error) {
	var chosen, faults []string
	for _, id := range s.IDs {
		var found []string
		for _, k := range keys {
			if k == id || strings.HasSuffix(k, "/"+id) {
				found = append(found, k)
			}
		}
		switch {
		case len(found) == 0:
			faults = append(faults, fmt.Sprintf("no function %q is called in the time asked for", id))
		case len(found) > 1:
			faults = append(faults, fmt.Sprintf("%d functions are called %q: write one as %s", len(found), id, found[0]))
		case !slices.Contains(chosen, found[0]):
			chosen = append(chosen, found[0])
		}
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("selected functions: %s", strings.Join(faults, "; "))
	}
	return chosen, nil
}

// chosen tells in the trace what was selected of what there is.
func (r *reading) chosen(file string, called map[string]*tally) ([]string, error) {
	silent := 0
	for _, t := range called {
		if t.calls == 0 {
			silent++
			continue
		}
		r.out.Functions++
		r.out.Calls += t.calls
	}
	r.noteCount(silent, "functions without a call in the time asked for, left out: %d")
	if r.out.Functions == 0 {
		return nil, Faults{{File: file, Message: "no function is called in the time asked for"}}
	}
	keys, err := r.Select.choose(called)
	if err != nil {
		return nil, Faults{{File: file, Message: err.Error()}}
	}
	for _, k := range keys {
		r.out.Selected++
		r.out.Kept += called[k].calls
	}
	return keys, nil
}
