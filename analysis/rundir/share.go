package rundir

import (
	"fmt"
	"time"

	"edgebench/profiles/arrival"
)

// A Start is what one of several processes knows of the start they agreed on.
type Start struct {
	Host string `json:"host,omitempty"` // as whoever called the start knows it
	// LateNS is by how much the agreed instant had passed on this host's clock
	// when the first request could be sent.
	LateNS int64 `json:"late_ns"`
	// ClockOffsetNS is this host's clock minus the reference's, and
	// ClockUncertaintyNS how far off that may be; null when nobody measured it,
	// and the clocks are trusted.
	ClockOffsetNS      *int64 `json:"clock_offset_ns"`
	ClockUncertaintyNS *int64 `json:"clock_uncertainty_ns"`
	Reference          string `json:"reference,omitempty"` // host of the clock that they are set against
}

// Roles of the processes that make one run together.
const (
	RoleGenerator = "generator" // sends a share of the schedule
	RoleTarget    = "target"    // keeps and samples the node, sends nothing
)

// A Part is one process's part in a run of several, as their union keeps it.
// What does not add up (its manifest, samples of its host, events) is in the
// folder PartsDir/Name of the union.
type Part struct {
	Name  string         `json:"name"`
	Role  string         `json:"role"`
	Share *arrival.Share `json:"share,omitempty"` // of a generator
	Sent  uint64         `json:"sent"`
	Start *Start         `json:"start,omitempty"`
	// Reasons are why this generator alone makes the run invalid, empty when it
	// does not: the lag of one is not to be hidden among the others'.
	Reasons []string `json:"reasons,omitempty"`
}

// PartsDir is the folder of a union with what its parts keep to themselves.
const PartsDir = "parts"

// TakeShare makes what Describe said of the whole schedule what one share has
// of it.
func (m *Manifest) TakeShare(s arrival.Share) {
	if s == (arrival.Share{}) {
		return
	}
	m.Share, m.Planned = &s, s.Before(m.Planned)
	end := uint64(0)
	for i := range m.Phases {
		p := &m.Phases[i]
		begin := end
		end += p.Planned
		p.Planned = s.Before(end) - s.Before(begin)
		p.FromRPS, p.ToRPS = s.Rate(p.FromRPS), s.Rate(p.ToRPS)
	}
}

// PartRole is whose part of a run the directory is: empty for one with all
// requests of a run.
func (m *Manifest) PartRole() string {
	if m.Share != nil && !m.Share.Whole() {
		return RoleGenerator
	}
	return m.Role
}

// PartName tells the parts of one run apart: 1of2, target, or empty for a run of
// its own.
func (m *Manifest) PartName() string {
	if m.Share != nil {
		return fmt.Sprintf("%dof%d", m.Share.Index, m.Share.Of)
	}
	return m.Role
}

// Skew is how far apart the starts of parts may have been: their lateness and
// the uncertainty of their clocks. It is false where a clock was not measured.
func Skew(parts []Part) (time.Duration, bool) {
	if len(parts) == 0 {
		return 0, false
	}
	var early, late int64
	for i, p := range parts {
		if p.Start == nil || p.Start.ClockUncertaintyNS == nil {
			return 0, false
		}
		low, high := p.Start.LateNS-*p.Start.ClockUncertaintyNS, p.Start.LateNS+*p.Start.ClockUncertaintyNS
		if i == 0 || low < early {
			early = low
		}
		if i == 0 || high > late {
			late = high
		}
	}
	return time.Duration(late - early), true
}
