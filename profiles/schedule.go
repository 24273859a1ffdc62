package profiles

import (
	"fmt"
	"time"

	"edgebench/profiles/arrival"
)

// maxFlattened bounds phases × cycles.
const maxFlattened = 200_000

// Schedule is the arrivals of the profile: a pure function of arrivals, phases,
// cycles, functions and seed, and of what the files of recorded arrivals held.
func (p *Profile) Schedule() (*arrival.Schedule, error) {
	s, err := p.instants()
	if err != nil {
		return nil, err
	}
	if len(p.Functions) > 0 && len(s.Functions()) == 0 {
		functions := make([]arrival.Function, len(p.Functions))
		for i, f := range p.Functions {
			functions[i] = arrival.Function{Name: f.Name, Share: f.Weight, Service: f.Service}
		}
		if p.Streams == OwnStreams {
			s, err = s.Apart(functions)
		} else {
			s, err = s.Among(functions)
		}
		if err != nil {
			return nil, err
		}
	}
	if n := len(p.Phases); n > 0 && p.Phases[n-1].Count > 0 {
		return s.Until(uint64(p.Phases[n-1].Count))
	}
	return s, nil
}

// instants is when, before it is known for whom.
func (p *Profile) instants() (*arrival.Schedule, error) {
	if p.Arrivals.Recorded() {
		if p.Recorded == nil {
			return nil, fmt.Errorf("profile %s: what arrivals.%s names was not read", p.Name, p.Arrivals.Law)
		}
		return arrival.NewRecorded(p.flatten(), p.Recorded.Source, p.Seed)
	}
	law, err := p.Arrivals.law()
	if err != nil {
		return nil, err
	}
	return arrival.NewSchedule(p.flatten(), law, p.Seed)
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
			if ph.Count > 0 {
				ph.For = roomFor(ph)
			}
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

// roomFor is a time that is long enough for the count of a phase, for a law whose
// gaps vary as much as any may: the schedule is cut where the count is reached.
func roomFor(ph Phase) time.Duration {
	const most = float64(50 * 365 * 24 * time.Hour)
	mean := (float64(ph.Count) + 10) / ph.Rate.From * 1e9
	return time.Duration(min(1e4*mean, most))
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
