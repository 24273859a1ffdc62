package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgebench/analysis"
	"edgebench/analysis/figures"
	"edgebench/analysis/predict"
	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/twin"
	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

// Where the models take the mean of the service time from.
const (
	serviceOfProfile  = "profile"
	serviceOfMeasured = "measured"
)

// defaultTrials of the twin: their interval is about 0.47 of a standard deviation.
const defaultTrials = 20

type predictFlags struct {
	measured []string
	sets     []string
	policy   string
	workers  int
	seed     uint64
	trials   int
	service  string
	start    time.Duration
	out      string
	figure   string
	asJSON   bool
	asCSV    bool
	quiet    bool
}

func newPredict() *cobra.Command {
	var flags predictFlags
	cmd := &cobra.Command{
		Use:   "predict [PROFILE]",
		Short: "set what models predict for a profile beside what runs of it measured",
		Long: `predict plays the profile against the twin of the bundled node (many trials of
the same schedule) and, for phases of constant rate under a policy that is a
queueing model, solves and simulates that model. It prints every quantity as
measured and as predicted, the relative error with its interval where there are
several runs, and what each model leaves out. Nothing is sent.

Without PROFILE the runs' own is taken. Runs of another schedule than the
profile's are refused.`,
		Example: `  loadgen predict --measured runs/20261130T090629Z-bursty-ramp-ewma-16b6d1
  loadgen predict h2                                what to expect, before anything is measured
  loadgen predict h2 --measured runs/A runs/B --service measured
  loadgen predict --measured night                  all runs of a folder, or of a batch
  loadgen run h2 --predict                          the same, right after the run`,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.main(cmd, args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.measured, "measured", nil, "run directory, or folder of them, to compare with (repeatable; more may follow it)")
	addPolicyFlags(f, &flags.policy, &flags.workers, &flags.seed)
	f.StringArrayVar(&flags.sets, "set", nil, "override a profile key (repeatable)")
	f.IntVar(&flags.trials, "trials", defaultTrials, "trials of the twin")
	f.StringVar(&flags.service, "service", serviceOfProfile, "mean service time of the models: the profile's, or measured inside the workers")
	f.DurationVar(&flags.start, "start", 0, fmt.Sprintf("time a worker of the twin takes to start (default %v, as measured)", twin.DefaultStart))
	f.StringVar(&flags.out, "out", "", "keep the twin's run directories below this folder")
	f.StringVar(&flags.figure, "figure", "", "folder for a figure of the comparison, SVG and PNG")
	f.BoolVar(&flags.asJSON, "json", false, "print the comparison as JSON")
	f.BoolVar(&flags.asCSV, "csv", false, "print the comparison as CSV")
	f.BoolVar(&flags.quiet, "quiet", false, "no progress line")
	return cmd
}

// main resolves the command line: one profile, and the runs of it.
func (p *predictFlags) main(cmd *cobra.Command, args []string) error {
	if err := p.validate(cmd); err != nil {
		return err
	}
	// With --measured A B the shell's list of runs continues as arguments.
	name, dirs := "", p.measured
	for _, arg := range args {
		if name == "" && !isRun(arg) {
			name = arg
			continue
		}
		dirs = append(dirs, arg)
	}
	dirs, err := rundir.FindAll(dirs)
	if err != nil {
		return err
	}
	if name == "" && len(dirs) == 0 {
		return exitError{exitUsage, errors.New("want a PROFILE, or --measured RUN (see loadgen predict --help)")}
	}
	if name == "" {
		name = filepath.Join(dirs[0], rundir.ProfileFile)
	}
	profile, err := loadProfile(name, append(policySets(cmd, p.policy, p.workers, p.seed), p.sets...))
	if err != nil {
		return err
	}
	stop := newCalcStopper(cmd.Context(), cmd.ErrOrStderr())
	defer stop.close()
	report, err := p.predict(stop.ctx, cmd.ErrOrStderr(), profile, dirs)
	if err != nil {
		return err
	}
	if p.figure != "" {
		picture, err := figures.Prediction(report)
		if err == nil {
			err = picture.Write(p.figure, "prediction")
		}
		if err != nil {
			return err
		}
	}
	switch {
	case p.asJSON:
		return writeJSON(cmd.OutOrStdout(), report)
	case p.asCSV:
		return writePredictionCSV(cmd.OutOrStdout(), report)
	}
	return printPrediction(cmd.OutOrStdout(), report)
}

func (p *predictFlags) validate(cmd *cobra.Command) error {
	faults := []error{policyFaults(cmd, p.workers)}
	check := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(p.trials < 1 || p.trials > 100_000, "--trials %d: want 1 to 100000", p.trials)
	check(p.service != serviceOfProfile && p.service != serviceOfMeasured, "--service %s: want %s or %s", p.service, serviceOfProfile, serviceOfMeasured)
	check(p.start < 0, "--start %v: want 0 or more", p.start)
	check(p.asJSON && p.asCSV, "--json and --csv: choose one")
	if err := errors.Join(faults...); err != nil {
		return exitError{exitUsage, err}
	}
	return nil
}

// isRun reports whether an argument names runs, not a profile.
func isRun(name string) bool {
	dirs, _, err := rundir.Find(name)
	return err == nil && len(dirs) > 0
}

// predict evaluates the models of a profile and compares them with the runs.
func (p *predictFlags) predict(ctx context.Context, stderr io.Writer, profile *profiles.Profile, dirs []string) (*predict.Report, error) {
	if profile.Target.Bundled == nil {
		return nil, exitError{exitUsage, twin.ErrNotBundled}
	}
	runs, err := measuredRuns(ctx, profile, dirs)
	if err != nil {
		return nil, err
	}
	modelled := *profile
	bundled := *profile.Target.Bundled
	modelled.Target.Bundled = &bundled
	notes := runs.notes
	if runs.service > 0 {
		notes = append(notes, fmt.Sprintf("mean service time inside the workers: %v measured, %v in the profile", runs.service.Round(time.Microsecond), bundled.Service.Mean))
	}
	if p.service == serviceOfMeasured {
		if runs.service == 0 {
			return nil, exitError{exitUsage, errors.New("--service measured: no run tells service times")}
		}
		bundled.Service.Mean = runs.service
	}
	simulated, err := p.simulate(ctx, stderr, &modelled, runs.seeds)
	if err != nil {
		return nil, err
	}
	steady, steadyNotes, err := predict.SteadyStates(ctx, &modelled, qpn.Options{Seed: profile.Seed})
	if err != nil {
		return nil, err
	}
	report := predict.Compare(&modelled, runs.summaries, simulated, steady)
	report.Runs, report.Simulated = append(report.Runs, dirs...), runs.simulated
	report.Doubts = append(report.Doubts, runs.doubts...)
	report.Notes = append(append(report.Notes, notes...), steadyNotes...)
	return report, nil
}

func (p *predictFlags) simulate(ctx context.Context, stderr io.Writer, profile *profiles.Profile, seeds []uint64) ([]*analysis.Summary, error) {
	out := p.out
	if out == "" {
		scratch, err := os.MkdirTemp("", "loadgen-predict-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(scratch)
		out = scratch
	}
	line := newProgressLine(stderr, p.quiet)
	defer line.clear()
	s := simulation{trials: p.trials, out: out, seeds: seeds, trial: twin.Trial{Profile: profile, Start: p.start, Phase: -1}}
	results, err := s.run(ctx, func(done int) { line.show(fmt.Sprintf("twin: trial %d of %d", done, p.trials)) })
	return results, ours(err)
}

// measurements are the runs a prediction is compared with.
type measurements struct {
	summaries []*analysis.Summary
	seeds     []uint64      // of their schedules; of the profile where there are no runs
	service   time.Duration // mean inside the workers, 0 where no run tells
	simulated int           // of the runs
	notes     []string
	doubts    []string // runs that are invalid or partial, and why
}

// measuredRuns reads runs and refuses those of another schedule or policy.
func measuredRuns(ctx context.Context, profile *profiles.Profile, dirs []string) (measurements, error) {
	m := measurements{seeds: []uint64{profile.Seed}}
	if len(dirs) > 0 {
		m.seeds = nil
	}
	var (
		faults []error
		sum    float64
		n      float64
		seen   = make(map[rundir.Identity]string)
	)
	for _, dir := range dirs {
		run, err := rundir.Open(dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		key := run.Manifest.Identity()
		if first, twice := seen[key]; twice {
			// Twice the same trial would narrow the interval for nothing.
			faults = append(faults, fmt.Errorf("%s and %s are the same run", first, dir))
			continue
		}
		seen[key] = dir
		if err := sameWork(ctx, profile, run.Manifest); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", dir, err))
			continue
		}
		summary, err := analysis.Summarize(dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if summary.Verdict == analysis.Invalid || summary.Verdict == analysis.Partial {
			m.doubts = append(m.doubts, fmt.Sprintf("%s is %s: %s", dir, summary.Verdict, strings.Join(summary.Reasons, "; ")))
		}
		if run.Manifest.Producer == rundir.ProducerTwin {
			m.simulated++
			m.notes = append(m.notes, fmt.Sprintf("%s is simulated: what stands under measured is the twin's, compared with itself", dir))
		}
		if _, err := rundir.ReadSamples(dir, func(s *rundir.Sample) error {
			if s.Outcome == rundir.OK && s.ServiceNS > 0 {
				sum += float64(s.ServiceNS)
				n++
			}
			return nil
		}); err != nil {
			faults = append(faults, err)
			continue
		}
		m.summaries = append(m.summaries, summary)
		m.seeds = append(m.seeds, run.Manifest.Seed)
	}
	if err := errors.Join(faults...); err != nil {
		return m, exitError{exitUsage, err}
	}
	if n > 0 {
		m.service = time.Duration(sum / n)
	}
	return m, nil
}

// sameWork refuses a run that was asked for something else than the profile asks
// for: another schedule (its own seed put aside) or another policy.
func sameWork(ctx context.Context, profile *profiles.Profile, m *rundir.Manifest) error {
	if m.Mode != profile.Target.Bundled.Policy.Name {
		return fmt.Errorf("policy %s, the profile has %s: choose it with --policy", m.Mode, profile.Target.Bundled.Policy.Name)
	}
	p := *profile
	p.Seed = m.Seed
	schedule, err := p.Schedule()
	if err != nil {
		return err
	}
	digest, err := schedule.Digest(ctx)
	if err != nil {
		return err
	}
	if digest.Hash != m.ScheduleHash {
		return fmt.Errorf("its schedule (%.12s) is not the profile's (%.12s) with the run's seed %d", m.ScheduleHash, digest.Hash, m.Seed)
	}
	return nil
}

// predictRun sets a finished run beside its prediction, prints that, and keeps it
// in the run directory.
func predictRun(ctx context.Context, stdout, stderr io.Writer, profile *profiles.Profile, dir string, run *runFlags) error {
	p := predictFlags{trials: defaultTrials, service: serviceOfProfile, quiet: run.quiet}
	report, err := p.predict(ctx, stderr, profile, []string{dir})
	if err != nil {
		return fmt.Errorf("predict: %w", err)
	}
	data, err := rundir.EncodeJSON(report)
	if err != nil {
		return err
	}
	if err := rundir.Replace(dir, rundir.PredictionFile, data); err != nil {
		return err
	}
	if run.asJSON {
		return nil // stdout is summary.json's
	}
	fmt.Fprintln(stdout)
	return printPrediction(stdout, report)
}
