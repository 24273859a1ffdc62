package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"edgebench/analysis/rundir"
)

// printSimulated prints one point in full, several side by side.
func printSimulated(out io.Writer, points []simPoint, vary string, asJSON bool) error {
	key, _, _ := strings.Cut(vary, "=")
	switch {
	case len(points) == 1 && vary == "" && asJSON:
		return writeJSON(out, points[0].report)
	case len(points) == 1 && vary == "":
		return points[0].report.print(out)
	case asJSON:
		return writeJSON(out, pointsReport(points, key))
	}
	return printTable(out, points, key)
}

// A pointsJSON is the report of several points.
type pointsJSON struct {
	Producer string      `json:"producer"`
	Profile  string      `json:"profile"`
	Vary     string      `json:"vary,omitempty"`
	Points   []pointJSON `json:"points"`
}

type pointJSON struct {
	Value string `json:"value,omitempty"`
	simReport
	Published *publishedJSON `json:"published"` // null where the study says nothing
}

type publishedJSON struct {
	Trial      string `json:"trial"`
	FiveTrials string `json:"five_trials"`
	Model      string `json:"model"`
}

func pointsReport(points []simPoint, key string) pointsJSON {
	r := pointsJSON{Producer: rundir.ProducerTwin, Profile: points[0].profile.Name, Vary: key}
	for _, p := range points {
		j := pointJSON{Value: p.value, simReport: *p.report}
		j.Policy = p.policy
		if study, ok := p.published(); ok {
			j.Published = &publishedJSON{Trial: study.Trial(), FiveTrials: study.FiveTrials(), Model: study.Model}
		}
		r.Points = append(r.Points, j)
	}
	return r
}

// printTable sets the points side by side: cold requests of the measured phase,
// or of the whole run where none is measured.
func printTable(out io.Writer, points []simPoint, key string) error {
	first := points[0]
	phase, threshold := "", first.profile.Cold.Threshold
	for _, ph := range first.profile.Phases {
		if ph.Measure != "" {
			phase = ph.Name + " "
			break
		}
	}
	fmt.Fprintf(out, "%s   %d simulated trials a point (the trial is the unit)\n\n", first.profile.Name, first.report.Trials)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "policy\t%scold by mark\t", columns(key))
	study := false
	for _, p := range points {
		_, ok := p.published()
		study = study || ok
	}
	if threshold > 0 {
		fmt.Fprintf(w, "above %v\tmedian\tmin\tmax\t", threshold)
	}
	fmt.Fprint(w, "workers\tp99 ms\t")
	if study {
		fmt.Fprint(w, "study: trial\tn = 5\tmodel\t")
	}
	fmt.Fprintln(w)
	for _, p := range points {
		fmt.Fprintf(w, "%s\t%s%s\t", p.policy, columns(p.value), p.report.metric(phase+"cold").interval())
		if threshold > 0 {
			m := p.report.metric(phase + "above threshold")
			fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f\t", m.interval(), m.Median, m.Min, m.Max)
		}
		fmt.Fprintf(w, "%s\t%s\t", p.report.metric("workers mean").mean(1), p.report.metric("response p99").mean(0))
		if s, ok := p.published(); ok {
			fmt.Fprintf(w, "%s\t%s\t%s\t", s.Trial(), cmp.Or(s.FiveTrials(), "–"), s.Model)
		} else if study {
			fmt.Fprint(w, "–\t–\t–\t")
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%scold: mean (95 %% interval) of requests a trial; workers: mean over time\n", phase)
	if study {
		fmt.Fprintln(out, "study: above 700 ms, its tick phase free; model: mean [range] over 12 tick phases. None is a target.")
	}
	_, err := fmt.Fprintf(out, "run directories below %s\n", filepath.Dir(points[0].report.Out))
	return err
}

func columns(text string) string {
	if text == "" {
		return ""
	}
	return text + "\t"
}
