package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"edgebench/analysis/compare"
	"edgebench/analysis/figures"
	"edgebench/analysis/nodecost"
	"edgebench/analysis/report"
	"edgebench/analysis/rundir"
)

// studyFlags are those of `loadgen study`.
type studyFlags struct {
	full               bool
	out                string
	trials, twinTrials int
	starts             int
	asJSON, quiet      bool
}

// The quick form takes about five minutes, nearly all of it live trials; the full
// one four hours and a half.
const (
	quickTrials, fullTrials         = 2, 10
	quickTwinTrials, fullTwinTrials = 10, 60
	quickStarts, fullStarts         = 20, 200
)

func newStudy() *cobra.Command {
	var flags studyFlags
	cmd := &cobra.Command{
		Use:   "study",
		Short: "make the study's evaluation again and set its figures beside ours, on one page",
		Long: `study plays the evaluation that the bundled profiles come from: five modes over
four cycles, live and simulated, the warm-up sweep and the test of two cycles
(simulated), what starts and decisions cost, cost against quality, and the
queueing models. It writes one report with the study's own figures beside ours
and a verdict on each.

The quick form (5 minutes) plays bursty-ramp-quick live, twice a mode; the full
one bursty-ramp, ten times. What is in DIR already is not made again, so an
interrupted study goes on where it was; a live trial that was invalid is played
again.`,
		Example: `  loadgen study
  loadgen study --full --out study-full
  loadgen study --trials 0                         nothing live: two minutes on a busy machine`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := cmd.Flags().Changed
			for _, f := range []struct {
				name        string
				n           *int
				quick, full int
				least       int
			}{
				{"trials", &flags.trials, quickTrials, fullTrials, 0},
				{"twin-trials", &flags.twinTrials, quickTwinTrials, fullTwinTrials, 1},
				{"starts", &flags.starts, quickStarts, fullStarts, 1},
			} {
				switch {
				case given(f.name) && *f.n < f.least:
					return exitError{exitUsage, fmt.Errorf("--%s %d: want %d or more", f.name, *f.n, f.least)}
				case !given(f.name) && flags.full:
					*f.n = f.full
				case !given(f.name):
					*f.n = f.quick
				}
			}
			return flags.main(cmd)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.full, "full", false, "play the study's own profile live, with trials enough for tests (hours)")
	f.StringVar(&flags.out, "out", "study", "folder for the report and everything it is made of")
	f.IntVar(&flags.trials, "trials", 0, fmt.Sprintf("live trials of each mode, 0 for none (default %d, full %d)", quickTrials, fullTrials))
	f.IntVar(&flags.twinTrials, "twin-trials", 0, fmt.Sprintf("simulated trials of each point (default %d, full %d)", quickTwinTrials, fullTwinTrials))
	f.IntVar(&flags.starts, "starts", 0, fmt.Sprintf("cold starts of each runtime (default %d, full %d)", quickStarts, fullStarts))
	f.BoolVar(&flags.asJSON, "json", false, "print the figures beside ours as JSON")
	f.BoolVar(&flags.quiet, "quiet", false, "no progress line and no notices")
	return cmd
}

func (f *studyFlags) main(cmd *cobra.Command) error {
	stderr := cmd.ErrOrStderr()
	stop := newStopper(cmd.Context(), stderr)
	defer stop.close()
	w := &studyWork{studyFlags: f, stop: stop, line: newProgressLine(stderr, f.quiet), notice: stderr}
	if f.quiet {
		w.notice = io.Discard
	}
	err := w.do()
	w.line.clear()
	if stop.ctx.Err() != nil {
		fmt.Fprintf(stderr, "interrupted: the same command goes on from here (%s)\n", f.out)
		return exitError{exitPartial, nil}
	}
	if err != nil {
		return err
	}
	s, err := w.read()
	if err != nil {
		return err
	}
	return f.write(cmd.OutOrStdout(), s)
}

// read makes the report's parts of what is in the folder.
func (w *studyWork) read() (*report.Study, error) {
	s := &report.Study{Full: w.full, Missing: w.missing}
	s.Argv, s.Folder = redactedArgv(w.stop.ctx), w.out
	options := compare.Options{Force: true, Mixed: true}
	sources := []string{w.path(twinFolder)}
	if w.trials > 0 {
		sources = append([]string{w.path(liveFolder)}, sources...)
	}
	var err error
	if s.Queueing, err = queueingClaims(w.stop.ctx); err != nil {
		return nil, err
	}
	if s.Set, err = compare.Read(sources, options); err != nil {
		return nil, err
	}
	if s.Sweep, err = compare.Read([]string{w.path(sweepFolder)}, options); err != nil {
		return nil, err
	}
	if s.TwoCycle, err = compare.Read([]string{w.path(twoCycleFolder)}, options); err != nil {
		return nil, err
	}
	if s.Starts, err = readMeasured(w.path(coldStartFile), nodecost.ReadColdStart); err != nil {
		return nil, err
	}
	if s.Deciding, err = readMeasured(w.path(predictorFile), nodecost.ReadPredictor); err != nil {
		return nil, err
	}
	s.Drawings, err = w.draw(s)
	return s, err
}

// draw makes the figures of live trials, of simulated ones, of the sweep and of
// cold starts.
func (w *studyWork) draw(s *report.Study) ([]report.Drawing, error) {
	var live, twin, swept []figures.Source
	for _, g := range s.Set.Groups {
		switch {
		case !g.Simulated():
			live = append(live, sourcesOf(g)...)
		case g.Profile == studyProfile:
			twin = append(twin, sourcesOf(g)...)
		}
	}
	swept = sourcesOf(s.Sweep.Groups...)
	var out []report.Drawing
	for _, part := range []struct {
		of    string
		runs  []figures.Source
		names []string // empty for all
	}{
		{"live", live, nil}, {"simulated", twin, []string{"cold-cycles", "pareto", "policy-trace"}}, {"simulated", swept, []string{"warmup-sweep"}},
	} {
		drawings, err := drawRuns(part.runs, part.names, filepath.Join(w.path("figures"), part.of))
		if err != nil {
			return nil, err
		}
		for _, d := range drawings {
			d.Name += ", " + part.of
			out = append(out, d)
		}
	}
	if s.Starts == nil {
		return out, nil
	}
	p, err := figures.ColdStarts(s.Starts)
	if err != nil {
		return nil, err
	}
	svg, err := p.SVG()
	out = append(out, report.Drawing{Name: "cold-start, measured", Help: "what starting a worker costs, runtimes side by side", SVG: svg})
	return out, errors.Join(err, p.Write(w.path("figures"), "cold-start"))
}

func (f *studyFlags) write(out io.Writer, s *report.Study) error {
	page := filepath.Join(f.out, rundir.ReportFile)
	if err := writeFile(page, func(w io.Writer) error { return report.StudyHTML(w, *s) }); err != nil {
		return err
	}
	plain, err := report.StudyText(*s, report.TextOptions{Width: report.DefaultWidth})
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(f.out, "report.txt"), func(w io.Writer) error { _, err := io.WriteString(w, plain); return err }); err != nil {
		return err
	}
	if f.asJSON {
		return writeJSON(out, s.Claims())
	}
	text, err := report.StudyText(*s, textOptions(out))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\nreport  %s\n", text, page)
	return err
}
