package convert

import (
	"slices"
	"strings"
	"time"

	"edgebench/profiles"
)

// phasesOf adds ramps that may overlap into phases one after the other. Between
// two instants at which some ramp begins or ends each is a straight line, so their
// sum is one too; where none is, there is silence.
func phasesOf(ramps []ramp) []profiles.Phase {
	instants := []time.Duration{0}
	for _, r := range ramps {
		instants = append(instants, r.from, r.to)
	}
	slices.Sort(instants)
	instants = slices.Compact(instants)
	var phases []profiles.Phase
	taken := map[string]bool{}
	for i := range len(instants) - 1 {
		from, to := instants[i], instants[i+1]
		p := profiles.Phase{For: to - from}
		var names []string
		for _, r := range ramps {
			if r.from <= from && to <= r.to {
				p.Rate.From += r.rate(from)
				p.Rate.To += r.rate(to)
				if !slices.Contains(names, plainName(r.scenario)) {
					names = append(names, plainName(r.scenario))
				}
			}
		}
		name := "silence"
		if len(names) > 0 {
			name = plainName("k6-" + strings.Join(names, "-"))
		}
		if len(names) == 1 && names[0] != "" {
			name = names[0]
		}
		p.Name = unique(name, taken)
		phases = append(phases, p)
	}
	return phases
}

// rate at an instant within the ramp; its ends are exact.
func (r ramp) rate(at time.Duration) float64 {
	switch at {
	case r.from:
		return r.low
	case r.to:
		return r.top
	}
	return r.low + (r.top-r.low)*float64(at-r.from)/float64(r.to-r.from)
}
