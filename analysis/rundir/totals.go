package rundir

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// totalsJSON is the form of totals.json.
type totalsJSON struct {
	SchemaVersion int          `json:"schema_version"`
	Total         *Tally       `json:"total"`
	Phases        []phaseTally `json:"phases"`
}

type phaseTally struct {
	Name  string `json:"name"`
	Cycle int    `json:"cycle"`
	Tally *Tally `json:"tally"`
}

// WriteTotals writes totals.json, latency.hlog and latency.hgrm: the account
// the producer kept while it ran, a tally for each phase of the manifest.
func (d *Draft) WriteTotals(m *Manifest, tallies []Tally) error {
	if len(tallies) != len(m.Phases) {
		return fmt.Errorf("%s: %d tallies for %d phases", filepath.Join(d.Path(), TotalsFile), len(tallies), len(m.Phases))
	}
	total := Sum(tallies)
	out := totalsJSON{SchemaVersion: SchemaVersion, Total: &total, Phases: make([]phaseTally, len(tallies))}
	for i, p := range m.Phases {
		out.Phases[i] = phaseTally{p.Name, p.Cycle, &tallies[i]}
	}
	if err := writeHistograms(d.Path(), m.StartedUnixNS, m.Phases, tallies); err != nil {
		return err
	}
	if err := writePercentiles(d.Path(), &total); err != nil {
		return err
	}
	// Last, because its presence tells readers that the histograms are whole.
	return d.writeJSON(TotalsFile, out)
}

// Sum merges the tallies of a run's phases.
func Sum(tallies []Tally) Tally {
	var total Tally
	for i := range tallies {
		total.Merge(&tallies[i])
	}
	return total
}

// ReadTotals reads totals.json: a tally for each phase, with exact counts,
// extremes and sums, and without the distributions' counters, which are in
// latency.hlog (ReadHistograms). The error wraps fs.ErrNotExist when the
// producer ended before it could write the file.
func ReadTotals(dir string, phases []PhaseFact) ([]Tally, error) {
	path := filepath.Join(dir, TotalsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tallies, err := parseTotals(data, phases)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tallies, nil
}

func parseTotals(data []byte, phases []PhaseFact) ([]Tally, error) {
	var in totalsJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, err
	}
	if in.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("schema_version %d is not known to this program, which reads %d", in.SchemaVersion, SchemaVersion)
	}
	if len(in.Phases) != len(phases) {
		return nil, fmt.Errorf("%d phases, the manifest has %d", len(in.Phases), len(phases))
	}
	tallies := make([]Tally, len(phases))
	for i, p := range in.Phases {
		if p.Name != phases[i].Name || p.Cycle != phases[i].Cycle || p.Tally == nil {
			return nil, fmt.Errorf("phase %d is %q of cycle %d, the manifest has %q of cycle %d",
				i, p.Name, p.Cycle, phases[i].Name, phases[i].Cycle)
		}
		tallies[i] = *p.Tally
	}
	return tallies, nil
}
