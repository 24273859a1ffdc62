package look

import "edgebench/analysis/rundir"

// A Band is a phase behind the curves.
type Band struct {
	Name  string  `json:"name"`
	Cycle int     `json:"cycle"` // from 1
	Kind  string  `json:"kind"`  // constant | ramp | idle
	Cold  bool    `json:"cold"`  // the phase is there to measure cold starts
	From  float64 `json:"from"`  // seconds of the run
	To    float64 `json:"to"`
}

// maxBands: with more phases than that only the measured ones are drawn.
const maxBands = 200

// Bands are the phases a page draws, at most 1,000.
func Bands(phases []rundir.PhaseFact) []Band {
	out := []Band{}
	for _, p := range phases {
		if p.Measure == "" && len(phases) > maxBands || len(out) >= 5*maxBands {
			continue
		}
		out = append(out, Band{p.Name, p.Cycle, p.Kind, p.Measure != "", float64(p.StartNS) / 1e9, float64(p.StartNS+p.LengthNS) / 1e9})
	}
	return out
}
