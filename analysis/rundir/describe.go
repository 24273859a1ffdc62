package rundir

import (
	"context"

	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// ModeURL is the mode of a run against a target of somebody else's; with a node
// of ours it is the name of the policy.
const ModeURL = "url"

// Describe fills in what a manifest says of the profile and its schedule, the
// same for every producer. It walks the schedule once; ctx ends a long walk.
func (m *Manifest) Describe(ctx context.Context, p *profiles.Profile, s *arrival.Schedule) error {
	digest, err := s.Digest(ctx)
	if err != nil {
		return err
	}
	m.Profile, m.Seed = p.Name, p.Seed
	m.Mode, m.Target = ModeURL, p.Target.URL
	if b := p.Target.Bundled; b != nil {
		m.Mode, m.Target, m.Worker, m.Work = b.Policy.Name, "bundled", b.Worker, b.Work
	}
	m.ScheduleHash, m.ProfileHash = digest.Hash, p.Hash()
	m.Planned, m.DurationNS = digest.Planned, int64(s.Duration())
	if !digest.Walked() {
		m.Planned = uint64(s.Expected() + 0.5)
		m.Warnings = append(m.Warnings, "planned counts are the integral of the rate: the schedule is too long to walk")
	}
	m.ColdAuto = p.Cold.Auto
	m.ColdThresholdNS, m.Thresholds = int64(p.Cold.Threshold), p.Thresholds
	if p.Recorded != nil {
		m.Warnings = append(m.Warnings, p.Recorded.Notes...)
	}
	m.Functions = nil
	for _, f := range s.Functions() {
		m.Functions = append(m.Functions, f.Name)
	}
	m.Phases = m.Phases[:0]
	for i, ph := range s.Phases() {
		fact := PhaseFact{
			Name: ph.Name, Cycle: ph.Cycle, Kind: ph.Kind, Measure: ph.Measure,
			StartNS: int64(ph.Start), LengthNS: int64(ph.Length),
			FromRPS: ph.Curve.Rate(0), ToRPS: ph.Curve.Rate(ph.Length),
		}
		if digest.Walked() {
			fact.Planned = digest.Counts[i]
		} else {
			fact.Planned = uint64(s.ExpectedIn(i) + 0.5)
		}
		m.Phases = append(m.Phases, fact)
	}
	return nil
}

// ID is a short name of what a run repeats: equal schedules of equal profiles
// have equal ones.
func (m *Manifest) ID() string { return m.ProfileHash[:min(6, len(m.ProfileHash))] }
