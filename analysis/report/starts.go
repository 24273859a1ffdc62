package report

import (
	"fmt"
	"strings"

	"edgebench/analysis/rundir"
)

// starts is how well the processes of one run began together: the bound on what
// was between them, then each by its own lateness and its clock against the
// reference.
func starts(parts []rundir.Part) string {
	if len(parts) == 0 {
		return ""
	}
	head := "how far apart is not known"
	if skew, known := rundir.Skew(parts); known {
		head = "at most " + durationText(skew) + " apart"
	}
	var each []string
	for _, p := range parts {
		if p.Start == nil {
			continue
		}
		text := p.Name
		if p.Start.Host != "" {
			text += " on " + p.Start.Host
		}
		if p.Role == rundir.RoleGenerator {
			text += " " + duration(&p.Start.LateNS) + " late"
		}
		if o, u := p.Start.ClockOffsetNS, p.Start.ClockUncertaintyNS; o != nil && u != nil {
			text += fmt.Sprintf(", clock %s ± %s", duration(o), duration(u))
		}
		each = append(each, text)
	}
	return head + ": " + strings.Join(each, ";  ")
}
