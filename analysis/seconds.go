package analysis

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"edgebench/analysis/rundir"
)

// seconds are what timeseries.csv says of sending and of success, by second;
// unknown where its row could not be used.
type seconds struct {
	sent, ok, errors []int64
}

const unknown = -1

// loadSeconds reads the series of a run; one without a series has none.
func loadSeconds(run *rundir.Run) (*seconds, []string, error) {
	s := new(seconds)
	notes, err := rundir.ReadTimeseries(run.Dir, func(v rundir.Interval) error {
		for v.Second > int64(len(s.sent)) {
			s.sent, s.ok, s.errors = append(s.sent, unknown), append(s.ok, unknown), append(s.errors, unknown)
		}
		s.sent, s.ok, s.errors = append(s.sent, v.Sent), append(s.ok, v.OK), append(s.errors, v.Errors)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil, nil
	}
	return s, notes.Warnings(rundir.TimeseriesFile), err
}

// A shortfall is where sending fell furthest behind the plan.
type shortfall struct {
	phase            *rundir.PhaseFact
	reached, planned float64 // requests/s
}

// worst finds the stretch with the least sent of what was planned for it, among
// the phases, and among the seconds of those that are ramps: the
// mean of a ramp would hide where it broke. A stretch is whole seconds that lie
// inside one phase and before a stop; nil when there is none, or none fell short.
func (s *seconds) worst(m *rundir.Manifest) *shortfall {
	worst, least := (*shortfall)(nil), heldShare
	for i := range m.Phases {
		p := &m.Phases[i]
		from, to := (p.StartNS+1e9-1)/1e9, (p.StartNS+p.LengthNS)/1e9
		if m.StoppedNS > 0 {
			to = min(to, m.StoppedNS/1e9)
		}
		to = min(to, int64(len(s.sent)))
		step := to - from
		if p.Kind == "ramp" {
			step = 1
		}
		for ; step > 0 && from+step <= to; from += step {
			var sent int64
			stretch := s.sent[from : from+step]
			if slices.Contains(stretch, unknown) {
				continue
			}
			for _, n := range stretch {
				sent += n
			}
			planned := plannedIn(p, from*1e9, (from+step)*1e9)
			if planned > 0 && float64(sent) < least*planned {
				least = float64(sent) / planned
				worst = &shortfall{p, float64(sent) / float64(step), planned / float64(step)}
			}
		}
	}
	return worst
}

// plannedIn is how many of a phase's requests are planned for a part of it: of
// its exact count, as much as of the integral of its rate.
func plannedIn(p *rundir.PhaseFact, from, to int64) float64 {
	slope := (p.ToRPS - p.FromRPS) / float64(p.LengthNS)
	integral := func(a, b int64) float64 {
		middle := float64(a+b)/2 - float64(p.StartNS)
		return float64(b-a) * (p.FromRPS + slope*middle)
	}
	whole := integral(p.StartNS, p.StartNS+p.LengthNS)
	if whole <= 0 {
		return 0
	}
	return float64(p.Planned) * integral(from, to) / whole
}

func (f *shortfall) String() string {
	return fmt.Sprintf("saturated: sent %s of %s/s in phase %s", grouped(f.reached), grouped(f.planned), f.phase.Name)
}

// grouped writes a rate as a whole number with thousands separators.
func grouped(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// deathWarnings say from which second on nothing succeeded any more. It is a
// warning and no verdict: whether the target went away or broke down under the
// load it was given is what somebody may have wanted to find out, and the
// generator did its part. A node of our own that ends is known to have (partial).
func (s *seconds) deathWarnings(m *rundir.Manifest, total *rundir.Tally) []string {
	if m.TargetLost != "" || total.OK() == 0 {
		return nil
	}
	last, failed, sent := len(s.ok), int64(0), int64(0)
	for ; last > 0 && s.ok[last-1] == 0; last-- {
		failed, sent = failed+s.errors[last-1], sent+s.sent[last-1]
	}
	if min(failed, sent) < minDeath { // or what failed was sent before, and ended in the drain
		return nil
	}
	return []string{fmt.Sprintf("nothing succeeded from second %d on, %d requests failed since: the target went away or broke down, and the numbers mix what was before and after",
		last, failed)}
}
