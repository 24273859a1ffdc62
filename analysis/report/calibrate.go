package report

import (
	"fmt"

	"edgebench/analysis"
	"edgebench/analysis/cold"
)

// CalibrationText is a calibration as people read it: per part whether there
// are two crowds, and what each threshold would get wrong.
func CalibrationText(c *analysis.Calibration, o TextOptions) string {
	p := newPrinter(o)
	title := c.Profile + "   " + c.Mode
	if c.Simulated {
		title += "   simulated"
	}
	p.line(p.paint(bold, title) + "   cold is a service time above the threshold")
	for i := range c.Parts {
		p.calibrated(&c.Parts[i])
	}
	for _, w := range c.Warnings {
		p.note("warning", w)
	}
	return p.b.String()
}

func (p *printer) calibrated(part *analysis.CalibrationPart) {
	name := "whole run"
	if part.Phase != "" {
		name = "phase " + part.Phase
	}
	marks := "no answer was marked: nothing to check a threshold against"
	if n := part.Cold + part.Warm; n > 0 {
		marks = fmt.Sprintf("%s marked cold, %s warm", count(part.Cold), count(part.Warm))
	}
	p.line("")
	p.line(p.paint(bold, name) + fmt.Sprintf("   %s ok   %s", count(part.OK), marks))
	s := part.Split
	if s.ThresholdNS == nil {
		p.line("  no threshold: " + s.Why)
	} else {
		p.line("  " + p.paint(green, "proposed threshold "+duration(s.ThresholdNS)) + fmt.Sprintf("   %s fast (median %s), %s slow (median %s)",
			count(s.Low.N), duration(&s.Low.MedianNS), count(s.High.N), duration(&s.High.MedianNS)))
	}
	if c := part.Proposed; c != nil && c.FalsePositive > c.TruePositive {
		p.line(p.paint(yellow, "  the slow crowd is mostly warm answers (that waited, for example): trust the marks, not a threshold"))
	}
	if s.AshmanD > 0 {
		p.line(fmt.Sprintf("  best split: Ashman's D %s (apart above %d)   valley %s of the smaller crowd (at most %g)   bimodality coefficient %s",
			digits(s.AshmanD), cold.MinD, ratio(&s.Valley), cold.MaxValley, ratio(&s.Coefficient)))
	}
	g := grid{left: 1}
	g.add("  threshold", "at", "true cold", "false alarms", "missed", "false alarm rate", "miss rate", "precision", "recall")
	for _, row := range []struct {
		name string
		c    *cold.Confusion
	}{{"  of the profile", part.Current}, {"  proposed", part.Proposed}, {"  best by the marks", part.Best}} {
		if c := row.c; c != nil {
			g.add(row.name, duration(&c.ThresholdNS), count(c.TruePositive), count(c.FalsePositive), count(c.FalseNegative),
				percent(c.FalseRate), percent(c.MissRate), ratio(c.Precision), ratio(c.Recall))
		}
	}
	if len(g.rows) > 1 {
		for i, line := range g.lines() {
			if i == 0 {
				line = p.paint(dim, line)
			}
			p.line(line)
		}
	}
}

// splits are the cold starts by `cold: {auto: true}`, a line a phase.
func (p *printer) splits(s *analysis.Summary) {
	for i := range s.ColdAuto {
		part := &s.ColdAuto[i]
		if part.Phase == "" && len(s.ColdAuto) > 1 {
			continue // the measured phases are what the profile asks about
		}
		name := part.Phase
		if name == "" {
			name = "run"
		}
		if part.Above == nil {
			p.line(fmt.Sprintf("%s: cold by automatic split: none, %s", name, part.Split.Why))
			continue
		}
		line := fmt.Sprintf("%s: cold by automatic split at %s: %s of %s (Ashman's D %s, valley %s)", name, duration(part.Split.ThresholdNS),
			count(*part.Above), count(part.OK), digits(part.Split.AshmanD), ratio(&part.Split.Valley))
		if c := part.Proposed; c != nil {
			line += fmt.Sprintf("   against mark: precision %s   recall %s", ratio(c.Precision), ratio(c.Recall))
		}
		p.line(line)
	}
	if len(s.ColdAuto) > 0 {
		p.line("")
	}
}
