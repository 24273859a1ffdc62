package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/compare"
	"edgebench/analysis/nodecost"
)

// A Study is everything that an evaluation of the study's kind measured, and
// what it simulated. Nil parts were not made; Missing says why.
type Study struct {
	Full     bool
	Groups                // measured and simulated trials, side by side
	Sweep    *compare.Set // simulated: profile warmup-sweep, a group a policy and length
	TwoCycle *compare.Set // simulated: profile two-cycle
	Starts   *nodecost.ColdStart
	Deciding *nodecost.Predictor
	Queueing []Claim // of the second study, on queueing models
	Missing  []string
}

// A Chapter of claims is also what is exported as JSON.
type ClaimChapter struct {
	Title  string  `json:"title"`
	Rule   string  `json:"rule"` // what the verdicts follow from
	Claims []Claim `json:"claims"`
}

// StudyHTML writes the page.
func StudyHTML(w io.Writer, s Study) error {
	d, err := s.document()
	if err != nil {
		return err
	}
	return d.html(w)
}

// StudyText is the same for a terminal.
func StudyText(s Study, o TextOptions) (string, error) {
	d, err := s.document()
	if err != nil {
		return "", err
	}
	return d.text(o), nil
}

func (s *Study) document() (*document, error) {
	d, err := s.Groups.document()
	if err != nil {
		return nil, err
	}
	form := "quick form"
	if s.Full {
		form = "full form"
	}
	d.Title, d.Lead = "The study's evaluation, made again", form+": "+d.Lead
	d.Warnings = append(s.Missing, d.Warnings...)
	var first []chapter
	chapters := s.Claims()
	d.Reasons = append([]string{"figures of the study: " + tally(chapters)}, d.Reasons...)
	for _, c := range chapters {
		first = append(first, chapter{Title: c.Title, Lead: c.Rule, Tables: []titledTable{{"", claimTable(c.Claims)}}})
	}
	if s.Deciding != nil {
		first = append(first, decidingChapter(s.Deciding))
	}
	if s.Starts != nil {
		first = append(first, startsChapter(s.Starts))
	}
	d.Chapters = append(first, d.Chapters...)
	return d, nil
}

// Claims are the study's figures beside ours, chapter by chapter.
func (s *Study) Claims() []ClaimChapter {
	const (
		twin    = "Simulated by the twin: the node's own code under a virtual clock; the study left the phase of the policy's tick free, ours is drawn for each trial. "
		verdict = "Verdict: of five trials, do the intervals of the means overlap; of one, is it within the range of ours."
		counted = twin + "Requests above 700 ms of the 600 in the spikes. " + verdict
	)
	chapters := []ClaimChapter{
		{"Cold starts of five modes over four cycles (simulated)", counted, s.modes()},
		{"Findings (simulated)", "A difference agrees when our 95 % interval leaves 0 out on the same side.", s.findings()},
		{"Warm-up sweep (simulated)", counted, s.sweep()},
		{"The earlier test of two cycles (simulated)", twin + "Requests above 700 ms of the 150 in a spike. " + verdict, s.twoCycle()},
		{"Costs (measured here)", "Absolute times are those of another machine; what compares is the ratio: within a factor of two it agrees.", s.costs()},
		{"Queueing models (exact)", "Source: the study of SPR, CLS and MBS on queueing networks and queueing Petri nets; verdicts with their reasons as in loadgen qpn --study.", s.Queueing},
	}
	out := chapters[:0]
	for _, c := range chapters {
		if len(c.Claims) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// tally counts the verdicts, in the order in which they first come.
func tally(chapters []ClaimChapter) string {
	times := map[string]int{}
	var order []string
	for _, c := range chapters {
		for _, claim := range c.Claims {
			if times[claim.Verdict] == 0 {
				order = append(order, claim.Verdict)
			}
			times[claim.Verdict]++
		}
	}
	parts := make([]string, len(order))
	for i, verdict := range order {
		parts[i] = fmt.Sprintf("%d %s", times[verdict], verdict)
	}
	return strings.Join(parts, ", ")
}

// modeNames are the study's modes by our policies.
var modeNames = []struct{ policy, study string }{
	{"static", "Static-15"}, {"ewma-adaptive", "adaptive CUSUM"}, {"ewma", "fixed CUSUM"}, {"reactive", "reactive"}, {"arima", "ARIMA"},
}

func (s *Study) modes() (out []Claim) {
	for _, m := range modeNames {
		study, _ := analysis.PublishedFor("bursty-ramp", m.policy, 0)
		c := countClaim(m.study+" ("+m.policy+")", study, spikesOver(simulatedGroup(s.Set, "bursty-ramp", m.policy)))
		if c.Note == "" {
			c.Note = "a model of the study's node: " + study.Model
		}
		out = append(out, c)
	}
	return out
}

func (s *Study) findings() []Claim {
	of := func(policy string) (values []float64) {
		if e := spikesOver(simulatedGroup(s.Set, "bursty-ramp", policy)); e != nil {
			values = e.Values
		}
		return values
	}
	fixed := of("ewma")
	out := []Claim{}
	for _, c := range []struct {
		what      string
		published float64
		than      []float64
	}{
		{"fixed CUSUM against reactive, cold starts", analysis.PublishedOverReact, of("reactive")},
		{"fixed CUSUM against ARIMA, cold starts", analysis.PublishedOverARIMA, of("arima")},
	} {
		// Trials of one number share their seed, and so schedule and tick phase.
		out = append(out, differenceClaim(c.what, c.published, c.than, fixed, len(c.than) == len(fixed)))
	}
	return out
}

func (s *Study) sweep() (out []Claim) {
	if s.Sweep == nil {
		return nil
	}
	sums := map[string][]float64{} // of the grid, by policy and trial: trials of one number share their seed
	for _, g := range s.Sweep.Groups {
		length := lengthOf(g, "warmup")
		study, ok := analysis.PublishedFor(g.Profile, g.Mode, length)
		e := spikesOver(g)
		if !ok || e == nil {
			continue
		}
		for i, v := range e.Values {
			if i == len(sums[g.Mode]) {
				sums[g.Mode] = append(sums[g.Mode], 0)
			}
			sums[g.Mode][i] += v
		}
		out = append(out, countClaim(fmt.Sprintf("%s, warm-up %g s", g.Mode, length.Seconds()), study, e))
	}
	const fixed, adaptive = analysis.PublishedSweepFixed, analysis.PublishedSweepAdapts
	whole := differenceClaim("whole grid, fixed against adaptive", (fixed-adaptive)/float64(adaptive), sums["ewma-adaptive"], sums["ewma"], len(sums["ewma"]) == len(sums["ewma-adaptive"]))
	whole.Study = fmt.Sprintf("%d against %d, %s", fixed, adaptive, whole.Study)
	return append(out, whole)
}

func (s *Study) twoCycle() (out []Claim) {
	if s.TwoCycle == nil {
		return nil
	}
	for i, total := range analysis.PublishedTwoCycle {
		e := overTrials(s.TwoCycle.Groups[0], func(t *compare.Trial) *float64 {
			if m := measuredOf(t, "spike"); m != nil && i < len(m.Cycles) {
				return whole64(m.Cycles[i].Cold.ByThreshold)
			}
			return nil
		})
		out = append(out, countClaim(fmt.Sprintf("cold of 150 in the spike of cycle %d", i+1), analysis.Published{Total: total}, e))
	}
	return out
}

// spikesOver are the spike requests above the threshold over a group's trials.
func spikesOver(g *compare.Group) *compare.Estimate {
	if g == nil {
		return nil
	}
	return overTrials(g, func(t *compare.Trial) *float64 {
		if m := measuredOf(t, "spike"); m != nil {
			return whole64(m.All.Cold.ByThreshold)
		}
		return nil
	})
}

func simulatedGroup(s *compare.Set, profile, mode string) *compare.Group {
	for _, g := range s.Groups {
		if g.Simulated() && g.Profile == profile && g.Mode == mode {
			return g
		}
	}
	return nil
}

// lengthOf is how long the last phase of that name lasts.
func lengthOf(g *compare.Group, phase string) (length time.Duration) {
	for _, p := range g.Trials[0].Manifest.Phases {
		if p.Name == phase {
			length = time.Duration(p.LengthNS)
		}
	}
	return length
}
