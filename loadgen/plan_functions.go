package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// mostFunctions is how many functions a plan prints; JSON has them all.
const mostFunctions = 20

type planFunction struct {
	Name      string  `json:"name"`
	Share     float64 `json:"share"`
	Planned   uint64  `json:"planned"`
	ServiceNS int64   `json:"service_ns"` // asked of it, 0 when nothing is
}

func planFunctions(p *profiles.Profile, s *arrival.Schedule, d arrival.Digest) []planFunction {
	var out []planFunction
	for i, f := range p.Asked(s) {
		planned := uint64(f.Share*s.Expected() + 0.5)
		if d.Walked() {
			planned = d.Calls[i]
		}
		out = append(out, planFunction{Name: f.Name, Share: f.Share, Planned: planned, ServiceNS: int64(f.Service)})
	}
	return out
}

func (p *plan) printFunctions(out io.Writer) error {
	if len(p.Functions) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nfunction\tshare\tplanned\tservice\t")
	for _, f := range p.Functions[:min(mostFunctions, len(p.Functions))] {
		service := "the node's"
		if f.ServiceNS > 0 {
			service = time.Duration(f.ServiceNS).Round(time.Microsecond).String()
		}
		fmt.Fprintf(w, "%s\t%.1f %%\t%d\t%s\t\n", shortName(f.Name), 100*f.Share, f.Planned, service)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more := len(p.Functions) - mostFunctions; more > 0 {
		fmt.Fprintf(out, "  and %d more (--json has them all)\n", more)
	}
	return nil
}

// shortName keeps the end of a long key: owners come first and tell least.
func shortName(name string) string {
	const most = 40
	if len(name) <= most {
		return name
	}
	return "…" + name[len(name)-most+1:]
}

// A planTrace is what was read of a trace.
type planTrace struct {
	Functions int      `json:"functions"` // called in the time asked for
	Calls     uint64   `json:"calls"`     // of those
	Selected  int      `json:"selected"`
	Kept      uint64   `json:"kept"` // calls of the selected, before scaling
	Notes     []string `json:"notes,omitempty"`
}

func planTraceOf(p *profiles.Profile) *planTrace {
	t := p.Recorded
	if t == nil {
		return nil
	}
	return &planTrace{Functions: t.Functions, Calls: t.Calls, Selected: t.Selected, Kept: t.Kept, Notes: t.Notes}
}

func (t *planTrace) print(out io.Writer) {
	if t == nil {
		return
	}
	if t.Functions > 0 {
		fmt.Fprintf(out, "\nselected %d of %d functions, %d of %d calls (%.1f %%), before scaling\n",
			t.Selected, t.Functions, t.Kept, t.Calls, 100*float64(t.Kept)/float64(t.Calls))
	}
	for _, note := range t.Notes {
		fmt.Fprintf(out, "note: %s\n", note)
	}
}
