package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgebench/analysis/figures"
	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/draw"
	"edgebench/profiles/model"
)

// longSweep is how long a sweep may be estimated to take before the estimate is told.
const longSweep = 30 * time.Second

type qpnFlags struct {
	lambda, picture      string
	figure               string
	sets                 []string
	options              qpn.Options
	study, asJSON, asCSV bool
	quiet                bool
}

func newQPN() *cobra.Command {
	var flags qpnFlags
	cmd := &cobra.Command{
		Use:   "qpn MODEL...",
		Short: "evaluate a queueing model over arrival rates: simulated, exact, and as the study reports it",
		Long: `qpn simulates the queueing Petri net of a model at each arrival rate, in parallel
and with common random numbers, and prints throughput X, mean response time R,
population N and power X/R with their confidence intervals beside the exact value
where a formula exists, and beside the study's own figure with our verdict on it.
At or above capacity it says critical or unstable, never a mean.

MODEL is an embedded model (loadgen list models), name:variant as in cls:M1, a YAML
file, or a JMT file (.jsim, .jsimg). Ctrl-C keeps the points that are finished.`,
		Example: `  loadgen qpn spr --lambda 1:15:0.5
  loadgen qpn cls:5x3 --lambda 5,10,12.5,14,15
  loadgen qpn mbs --set threshold=0.8 --set routing=random --lambda 10 --csv
  loadgen qpn cls:M1 cls:M2 cls:M3 cls:M4 --lambda 1:19:1 --figure figures
  loadgen qpn mbs --lambda 10 --trace 5 --figure figures    instances filling over time
  loadgen qpn cls --draw cls.svg
  loadgen qpn --study                              every figure of the study beside ours`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.asJSON && flags.asCSV:
				return exitError{exitUsage, errors.New("--json and --csv: choose one")}
			case flags.study && len(args) == 0:
				return printStudy(cmd.Context(), cmd.OutOrStdout(), flags.asJSON, flags.asCSV)
			case len(args) == 0 || flags.study:
				return exitError{exitUsage, errors.New("want a MODEL, or --study alone (see loadgen qpn --help)")}
			}
			return flags.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.lambda, "lambda", "", "arrival rates per second: 10, a list 5,10, or from:to:step (default: the model's own)")
	f.StringArrayVar(&flags.sets, "set", nil, "parameter of the model, for example k=4 (repeatable; loadgen list models names them)")
	f.IntVar(&flags.options.Replications, "replications", 10, "independent runs a point")
	f.IntVar(&flags.options.Departures, "requests", 200_000, "requests of one run, warm-up included")
	f.Float64Var(&flags.options.Level, "level", 0.95, "confidence of the intervals")
	f.Uint64Var(&flags.options.Seed, "seed", 1, "seed of all runs")
	f.Float64Var(&flags.options.RelativeHalf, "precision", 0, "add runs until R's half width is at most this share of R")
	f.StringVar(&flags.picture, "draw", "", "write the net as a picture, FILE.svg or FILE.dot, and stop")
	f.StringVar(&flags.figure, "figure", "", "folder for figures of the sweep, SVG and PNG")
	f.Float64Var(&flags.options.Trace, "trace", 0, "seconds between points of the population over time, drawn with --figure")
	f.BoolVar(&flags.study, "study", false, "print every figure of the study with ours and our verdict")
	f.BoolVar(&flags.asJSON, "json", false, "print the points of all models as one JSON list")
	f.BoolVar(&flags.asCSV, "csv", false, "print the points as CSV")
	f.BoolVar(&flags.quiet, "quiet", false, "no progress line")
	return cmd
}

// run sweeps one model after the other over the same rates.
func (q *qpnFlags) run(cmd *cobra.Command, names []string) error {
	models, lambdas, err := q.plan(names)
	if err != nil {
		return err
	}
	if q.picture != "" {
		return drawNet(models[0], lambdas[0][0], q.picture)
	}
	stop := newCalcStopper(cmd.Context(), cmd.ErrOrStderr())
	defer stop.close()
	sweeps, rows := make([]figures.Sweep, 0, len(models)), []pointRow{}
	for i, m := range models {
		points, err := q.sweep(stop.ctx, cmd.ErrOrStderr(), m, lambdas[i])
		if err != nil && stop.ctx.Err() == nil {
			return err
		}
		if len(points) > 0 {
			sweeps = append(sweeps, figures.Sweep{Label: m.Label(), Points: points})
		}
		if q.asJSON || q.asCSV {
			rows = append(rows, pointRows(m, points)...)
		} else if err := printPoints(cmd.OutOrStdout(), m, points, i == 0); err != nil {
			return err
		}
		if stop.ctx.Err() != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "loadgen: interrupted: %s has %d of %d points%s\n", m.Title(), len(points), len(lambdas[i]), notBegun(models[i+1:]))
			break
		}
	}
	switch {
	case q.asJSON:
		err = writeJSON(cmd.OutOrStdout(), rows)
	case q.asCSV:
		err = writePointsCSV(cmd.OutOrStdout(), rows)
	}
	if err != nil {
		return err
	}
	if q.figure != "" && len(sweeps) > 0 {
		if err := drawSweeps(cmd.ErrOrStderr(), q.figure, sweeps); err != nil {
			return err
		}
	}
	if stop.ctx.Err() != nil {
		return exitError{exitPartial, nil}
	}
	return nil
}

// notBegun names the models an interrupted sweep did not come to.
func notBegun(rest []*qpn.Model) string {
	text := ""
	for _, m := range rest {
		text += ", " + m.Title() + " none"
	}
	return text
}

// plan reads everything the command line names and reports its faults at once.
func (q *qpnFlags) plan(names []string) (models []*qpn.Model, lambdas [][]float64, err error) {
	// Zero is a default of the options, not of the flags: who writes 0 is told.
	faults := []error{positive("--replications", q.options.Replications, 2), positive("--requests", q.options.Departures, qpn.MinDepartures)}
	if errors.Join(faults...) == nil {
		faults = append(faults, q.options.Validate())
	}
	if q.options.Level == 0 {
		faults = append(faults, errors.New("--level 0: want a share between 0 and 1"))
	}
	if q.options.Trace > 0 && q.figure == "" {
		faults = append(faults, errors.New("--trace: it is drawn, so it needs --figure DIR"))
	}
	if q.lambda != "" && slices.ContainsFunc(q.sets, func(text string) bool { return strings.HasPrefix(text, "lambda=") }) {
		faults = append(faults, errors.New("--lambda and --set lambda: choose one"))
	}
	if len(names) > 1 && q.picture != "" {
		faults = append(faults, errors.New("--draw takes one model"))
	}
	var given []float64
	if q.lambda != "" {
		if given, err = qpn.ParseLambdas(q.lambda); err != nil {
			faults = append(faults, err)
		}
	}
	for _, name := range names {
		m, err := loadModel(name, q.sets)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		rates := given
		if rates == nil {
			rates = []float64{m.Lambda}
		}
		models, lambdas = append(models, m), append(lambdas, rates)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, nil, exitError{exitUsage, err}
	}
	return models, lambdas, nil
}

func (q *qpnFlags) sweep(ctx context.Context, stderr io.Writer, m *qpn.Model, lambdas []float64) ([]*qpn.Point, error) {
	line := newProgressLine(stderr, q.quiet)
	defer line.clear()
	if !q.quiet {
		announce(ctx, stderr, m, lambdas, q.options)
	}
	return qpn.Sweep(ctx, m, lambdas, q.options, func(done, of int, pt *qpn.Point) {
		line.show(fmt.Sprintf("%s: %d of %d points, last lambda %g: %s", m.Title(), done, of, pt.Lambda, pt.Verdict))
	})
}

// drawSweeps writes the curves of all models into one picture, and the traces
// there are into one each.
func drawSweeps(notice io.Writer, dir string, sweeps []figures.Sweep) error {
	draw := func(name string, p *figures.Picture, err error) error {
		if errors.Is(err, figures.ErrNoData) {
			fmt.Fprintf(notice, "no figure %s: %v\n", name, err)
			return nil
		}
		if err == nil {
			err = p.Write(dir, name)
		}
		return err
	}
	labels := make([]string, len(sweeps))
	for i, s := range sweeps {
		labels[i] = strings.NewReplacer(" ", "-", "/", "-").Replace(s.Label)
	}
	p, err := figures.ModelCurves("X, R, N and power over the arrival rate", sweeps)
	if err := draw(strings.Join(labels, "_"), p, err); err != nil {
		return err
	}
	for i, s := range sweeps {
		for _, pt := range s.Points {
			if len(pt.Trace) == 0 {
				continue
			}
			name := fmt.Sprintf("trace-%s-%g", labels[i], pt.Lambda)
			p, err := figures.ModelTrace(s.Label, pt)
			if err := draw(name, p, err); err != nil {
				return err
			}
		}
	}
	return nil
}

func positive(name string, n, least int) error {
	if n < least {
		return fmt.Errorf("%s %d: want at least %d", name, n, least)
	}
	return nil
}

// announce tells what a long sweep will take, before it takes it.
func announce(ctx context.Context, notice io.Writer, m *qpn.Model, lambdas []float64, o qpn.Options) {
	cost, err := qpn.Estimate(ctx, m, lambdas, o)
	if err == nil && cost.Time > longSweep {
		fmt.Fprintf(notice, "%v (Ctrl-C keeps the points that are finished)\n", cost)
	}
}

// loadModel reads a model; what is wrong with it is the user's to mend.
func loadModel(name string, sets []string) (*qpn.Model, error) {
	var (
		parsed []model.Set
		wrong  []error
	)
	for _, text := range sets {
		set, err := model.ParseSet(text)
		wrong = append(wrong, err)
		parsed = append(parsed, set)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, exitError{exitUsage, err}
	}
	m, err := model.Load(name, parsed)
	if err != nil {
		return nil, exitError{exitUsage, err}
	}
	return m, nil
}

func drawNet(m *qpn.Model, lambda float64, file string) error {
	n, err := m.Net(lambda)
	if err != nil {
		return err
	}
	picture := draw.SVG
	switch filepath.Ext(file) {
	case ".svg":
	case ".dot":
		picture = draw.DOT
	default:
		return exitError{exitUsage, fmt.Errorf("--draw %s: want a name that ends in .svg or .dot", file)}
	}
	f, err := os.Create(file)
	if err != nil {
		return exitError{exitUsage, err}
	}
	return errors.Join(picture(f, n), f.Close())
}
