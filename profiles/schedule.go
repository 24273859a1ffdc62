package profiles

import (
	"time"

	"edgebench/profiles/arrival"
)

// maxFlattened bounds phases × cycles.
const maxFlattened = 200_000

// Schedule is the arrivals of the profile: a pure function of arrivals, phases,
// cycles and seed.
func (p *Profile) Schedule() (*arrival.Schedule, error) {
	law, err := p.Arrivals.law()
	if err != nil {
		return nil, err
	}
	s, err := arrival.NewSchedule(p.flatten(), law, p.Seed)
	if err != nil || len(p.Functions) == 0 {
		return s, err
	}
	functions := make([]arrival.Function, len(p.Functions))
	for i, f := range p.Functions {
		functions[i] = arrival.Function{Name: f.Name, Share: f.Weight, Service: f.Service}
	}
	return s.Among(functions)
}

// flatten repeats the phases for every cycle, with its overrides.
func (p *Profile) flatten() []arrival.Phase {
	type place struct {
		cycle int
		phase string
	}
	overrides := make(map[place]Override, len(p.Cycles.Overrides))
	for _, o := range p.Cycles.Overrides {
		overrides[place{o.Cycle, o.Phase}] = o
	}
	flat := make([]arrival.Phase, 0, p.Cycles.Count*len(p.Phases))
	for cycle := 1; cycle <= p.Cycles.Count; cycle++ {
		for _, ph := range p.Phases {
			ph = overrides[place{cycle, ph.Name}].apply(ph)
			flat = append(flat, arrival.Phase{
				Name:    ph.Name,
				Cycle:   cycle,
				Measure: ph.Measure,
				Length:  ph.For,
				Curve:   ph.Rate.curve(ph.For),
			})
		}
	}
	return flat
}

// apply changes what the override names; the zero Override changes nothing.
func (o Override) apply(ph Phase) Phase {
	if o.For != nil {
		ph.For = *o.For
	}
	if o.Rate != nil {
		ph.Rate = *o.Rate
	}
	return ph
}

// silent reports whether no phase of any cycle has a rate.
func (p *Profile) silent() bool {
	for _, ph := range p.flatten() {
		if ph.Curve.Count(ph.Length) > 0 {
			return false
		}
	}
	return true
}

// length is the whole duration, saturating at the longest possible.
func (p *Profile) length() time.Duration {
	var sum time.Duration
	for _, ph := range p.flatten() {
		if ph.Length > arrival.MaxLength-sum {
			return arrival.MaxLength + 1
		}
		sum += ph.Length
	}
	return sum
}
