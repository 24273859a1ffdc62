package rundir

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Accounts are the tallies of a run: each request is in one of its phases, and
// in one of its functions where there are several.
type Accounts struct {
	Phases    []Tally // as Manifest.Phases
	Functions []Tally // as Manifest.Functions, or nil
}

// NewAccounts are empty ones for the run of a manifest, which call a response
// cold above threshold.
func NewAccounts(m *Manifest, threshold time.Duration) Accounts {
	a := Accounts{Phases: make([]Tally, len(m.Phases)), Functions: make([]Tally, len(m.Functions))}
	for _, t := range a.All() {
		t.ColdThreshold = threshold
	}
	return a
}

// Add counts one request. The error is about a phase or function that the run
// does not have.
func (a Accounts) Add(s *Sample) error {
	if uint(s.Phase) >= uint(len(a.Phases)) {
		return fmt.Errorf("request %d is of phase %d, the manifest has %d phases", s.Index, s.Phase, len(a.Phases))
	}
	if len(a.Functions) > 0 {
		if uint(s.Function) >= uint(len(a.Functions)) {
			return fmt.Errorf("request %d is of function %d, the manifest has %d functions", s.Index, s.Function, len(a.Functions))
		}
		a.Functions[s.Function].Add(s)
	}
	a.Phases[s.Phase].Add(s)
	return nil
}

// All are the tallies of the phases, then those of the functions.
func (a Accounts) All() []*Tally {
	all := make([]*Tally, 0, len(a.Phases)+len(a.Functions))
	for _, tallies := range [][]Tally{a.Phases, a.Functions} {
		for i := range tallies {
			all = append(all, &tallies[i])
		}
	}
	return all
}

// totalsJSON is the form of totals.json.
type totalsJSON struct {
	SchemaVersion int             `json:"schema_version"`
	Total         *Tally          `json:"total"`
	Phases        []phaseTally    `json:"phases"`
	Functions     []functionTally `json:"functions,omitempty"`
}

type phaseTally struct {
	Name  string `json:"name"`
	Cycle int    `json:"cycle"`
	Tally *Tally `json:"tally"`
}

type functionTally struct {
	Name  string `json:"name"`
	Tally *Tally `json:"tally"`
}

// WriteTotals writes totals.json, latency.hlog and latency.hgrm: the account
// the producer kept while it ran, a tally for each phase of the manifest, and
// for each of its functions where it names any.
func (d *Draft) WriteTotals(m *Manifest, a Accounts) error {
	if len(a.Phases) != len(m.Phases) || len(a.Functions) != len(m.Functions) {
		return fmt.Errorf("%s: tallies of %d phases and %d functions, the manifest has %d and %d",
			filepath.Join(d.Path(), TotalsFile), len(a.Phases), len(a.Functions), len(m.Phases), len(m.Functions))
	}
	total := Sum(a.Phases)
	out := totalsJSON{SchemaVersion: SchemaVersion, Total: &total, Phases: make([]phaseTally, len(a.Phases))}
	for i, p := range m.Phases {
		out.Phases[i] = phaseTally{p.Name, p.Cycle, &a.Phases[i]}
	}
	for i, name := range m.Functions {
		out.Functions = append(out.Functions, functionTally{name, &a.Functions[i]})
	}
	if err := writeHistograms(d.Path(), m, a); err != nil {
		return err
	}
	if err := writePercentiles(d.Path(), &total); err != nil {
		return err
	}
	// Last, because its presence tells readers that the histograms are whole.
	return d.writeJSON(TotalsFile, out)
}

// Sum merges tallies.
func Sum(tallies []Tally) Tally {
	var total Tally
	for i := range tallies {
		total.Merge(&tallies[i])
	}
	return total
}

// ReadTotals reads totals.json: the tallies with exact counts, extremes and
// sums, and without the distributions' counters, which are in latency.hlog
// (ReadHistograms). The error wraps fs.ErrNotExist when the producer ended
// before it could write the file.
func ReadTotals(dir string, m *Manifest) (Accounts, error) {
	path := filepath.Join(dir, TotalsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return Accounts{}, Unreadable(err)
	}
	a, err := parseTotals(data, m)
	if err != nil {
		return Accounts{}, jsonFault(path, data, err)
	}
	return a, nil
}

func parseTotals(data []byte, m *Manifest) (Accounts, error) {
	var in totalsJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return Accounts{}, err
	}
	if in.SchemaVersion != SchemaVersion {
		return Accounts{}, fmt.Errorf("schema_version %d is not known to this program, which reads %d", in.SchemaVersion, SchemaVersion)
	}
	if len(in.Phases) != len(m.Phases) || len(in.Functions) != len(m.Functions) {
		return Accounts{}, fmt.Errorf("%d phases and %d functions, the manifest has %d and %d",
			len(in.Phases), len(in.Functions), len(m.Phases), len(m.Functions))
	}
	a := NewAccounts(m, 0)
	for i, p := range in.Phases {
		if p.Name != m.Phases[i].Name || p.Cycle != m.Phases[i].Cycle || p.Tally == nil {
			return Accounts{}, fmt.Errorf("phase %d is %q of cycle %d, the manifest has %q of cycle %d",
				i, p.Name, p.Cycle, m.Phases[i].Name, m.Phases[i].Cycle)
		}
		a.Phases[i] = *p.Tally
	}
	for i, f := range in.Functions {
		if f.Name != m.Functions[i] || f.Tally == nil {
			return Accounts{}, fmt.Errorf("function %d is %q, the manifest has %q", i, f.Name, m.Functions[i])
		}
		a.Functions[i] = *f.Tally
	}
	return a, nil
}
