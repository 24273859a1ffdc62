package analysis

import (
	"fmt"
	"time"

	"edgebench/analysis/rundir"
)

// startsOf are the processes that agreed on a start: the parts of a union, or
// the one that a share is of. Nil for a run of one process.
func startsOf(m *rundir.Manifest) []rundir.Part {
	if len(m.Parts) > 0 {
		return m.Parts
	}
	if m.Start == nil {
		return nil
	}
	return []rundir.Part{{Name: m.PartName(), Role: m.PartRole(), Share: m.Share, Start: m.Start}}
}

// startWarnings mark a run whose processes did not begin together, or may not have.
func startWarnings(parts []rundir.Part) (out []string) {
	unknown := false
	for _, p := range parts {
		if p.Start == nil {
			continue
		}
		who := p.Name
		if p.Start.Host != "" {
			who += " on " + p.Start.Host
		}
		if late := time.Duration(p.Start.LateNS); late > maxSkew {
			out = append(out, fmt.Sprintf("%s began %v after the start agreed on, above %v", who, rounded(late), maxSkew))
		}
		switch u := p.Start.ClockUncertaintyNS; {
		case u == nil:
			unknown = true
		case time.Duration(*u) > maxSkew:
			out = append(out, fmt.Sprintf("the clock of %s is known to ± %v only, above %v", who, rounded(time.Duration(*u)), maxSkew))
		}
	}
	if unknown {
		out = append(out, "the clocks were not set against each other: how far apart the start was is not known")
	}
	return out
}

// partReasons are why one generator alone makes the whole invalid.
func partReasons(m *rundir.Manifest) (reasons []string) {
	for _, p := range m.Parts {
		for _, why := range p.Reasons {
			reasons = append(reasons, p.Name+": "+why)
		}
	}
	return reasons
}
