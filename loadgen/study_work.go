package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"edgebench/analysis"
	"edgebench/analysis/qpn/twin"
	"edgebench/analysis/report"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/experiment"
	"edgebench/target/fleet"
)

// What a study's folder holds.
const (
	liveFolder     = "live"
	twinFolder     = "twin"
	sweepFolder    = "sweep"
	twoCycleFolder = "two-cycle"
	partFolder     = ".part" // what is being made; never read
	coldStartFile  = "cold-start.json"
	predictorFile  = "predictor-cost.json"
)

// studyProfile is the study's workload; quickProfile its shape in 20 s.
const (
	studyProfile = "bursty-ramp"
	quickProfile = "bursty-ramp-quick"
)

// studyModes are the five it compares.
var studyModes = []string{"static", "ewma", "ewma-adaptive", "reactive", "arima"}

// studyWork makes what a study's folder lacks.
type studyWork struct {
	*studyFlags
	stop    *stopper
	line    *progressLine
	notice  io.Writer
	missing []string // parts that could not be made, and why
}

func (w *studyWork) path(name string) string { return filepath.Join(w.out, name) }

// do makes the parts, the cheap ones first: a fault shows before the hours of
// live trials.
func (w *studyWork) do() error {
	if err := os.MkdirAll(w.out, 0o777); err != nil {
		return err
	}
	modes := strings.Join(studyModes, ",")
	parts := []func() error{
		func() error { return w.simulate(twinFolder, studyProfile, modes, "") },
		func() error {
			return w.simulate(sweepFolder, "warmup-sweep", "ewma,ewma-adaptive", "phases.warmup.for=5s,10s,20s,35s,60s,120s")
		},
		func() error { return w.simulate(twoCycleFolder, "two-cycle", "ewma", "") },
		w.predictorCost, w.coldStart, w.live,
	}
	if !w.full && w.trials > 0 { // a simulated partner of each live group
		parts = slices.Insert(parts, 1, func() error { return w.simulate(twinFolder, quickProfile, modes, "") })
	}
	for _, part := range parts {
		if err := part(); err != nil || w.stop.ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// simulate plays points on the twin, each into a folder that appears when it is
// complete.
func (w *studyWork) simulate(folder, profile, policies, vary string) error {
	points, err := simPoints(profile, nil, policies, vary)
	if err != nil {
		return err
	}
	for _, p := range points {
		into := filepath.Join(w.path(folder), p.slug())
		sealed, _, err := rundir.List(into)
		if err != nil {
			return err
		}
		if len(sealed) >= w.twinTrials {
			continue
		}
		part := filepath.Join(w.path(partFolder), p.slug())
		if err := errors.Join(os.RemoveAll(part), os.RemoveAll(into)); err != nil {
			return err
		}
		s := simulation{trials: w.twinTrials, out: part, trial: twin.Trial{Profile: p.profile, Phase: -1}}
		if _, err := s.run(w.stop.ctx, func(done int) {
			w.line.show(fmt.Sprintf("simulated %s %s %s: trial %d of %d", profile, p.policy, p.value, done, w.twinTrials))
		}); err != nil || w.stop.ctx.Err() != nil {
			return err
		}
		if err := errors.Join(os.MkdirAll(w.path(folder), 0o777), os.Rename(part, into)); err != nil {
			return err
		}
	}
	return os.RemoveAll(w.path(partFolder))
}

// live plays trials in turns, a trial of each mode after the other, so that a
// machine that slows down slows all of them.
func (w *studyWork) live() error {
	profile := quickProfile
	if w.full {
		profile = studyProfile
	}
	played, err := w.played(profile)
	if err != nil {
		return err
	}
	for trial := range w.trials {
		for i, mode := range studyModes {
			seed := strconv.Itoa(trial + 1)
			if played[mode+" "+seed] {
				continue
			}
			p, err := loadProfile(profile, []string{"target.bundled.policy=" + mode, "seed=" + seed})
			if err != nil {
				return err
			}
			label := fmt.Sprintf("live %s %s (%d of %d): ", profile, mode, trial*len(studyModes)+i+1, w.trials*len(studyModes))
			_, err = experiment.Run(w.stop.ctx, experiment.Config{
				Profile: p, Out: w.path(liveFolder), Argv: redactedArgv(w.stop.ctx), Version: version, Abort: w.stop.abort, Notice: w.notice,
				Progress: func(s experiment.Status) { w.line.show(label + statusLine(s)) },
			})
			w.line.clear()
			if err != nil || w.stop.ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

// played are mode and seed of the live trials that count.
func (w *studyWork) played(profile string) (map[string]bool, error) {
	sealed, _, err := rundir.List(w.path(liveFolder))
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, dir := range sealed {
		s, err := analysis.Summarize(dir)
		if err != nil {
			return nil, err
		}
		if s.Run.Profile == profile && (s.Verdict == analysis.Valid || s.Verdict == analysis.ThresholdsFailed) {
			out[fmt.Sprintf("%s %d", s.Run.Mode, s.Run.Seed)] = true
		}
	}
	return out, nil
}

// predictorCost and coldStart ask the node's own program, as anyone would.
func (w *studyWork) predictorCost() error {
	refused, err := w.measure(predictorFile, "predictor-cost", "--fits", strconv.Itoa(min(w.starts, 10)), "--json")
	if refused != "" {
		err = errors.New(refused)
	}
	return err
}

func (w *studyWork) coldStart() error {
	n := strconv.Itoa(w.starts)
	refused, err := w.measure(coldStartFile, "cold-start", "--runtime", "fork,exec,python,python-exec", "--n", n, "--json")
	if err != nil || refused == "" {
		return err
	}
	w.missing = append(w.missing, "python workers were not measured: "+refused)
	refused, err = w.measure(coldStartFile, "cold-start", "--runtime", "fork,exec", "--n", n, "--json")
	if refused != "" {
		err = errors.New(refused)
	}
	return err
}

// measure keeps what a command of target prints; refused is what target said
// when it would not start.
func (w *studyWork) measure(file string, args ...string) (refused string, err error) {
	if _, err := os.Stat(w.path(file)); err == nil {
		return "", nil
	}
	program, err := fleet.Find()
	if err != nil {
		return "", err
	}
	w.line.show("measuring: target " + strings.Join(args, " "))
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(w.stop.ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its workers itself
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case w.stop.ctx.Err() != nil:
		return "", context.Canceled
	case errors.As(err, &exit) && exit.ExitCode() == exitUsage:
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return first, nil
	case err != nil:
		return "", fmt.Errorf("target %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return "", writeFile(w.path(file), func(out io.Writer) error { _, err := stdout.WriteTo(out); return err })
}

// readMeasured reads a file that measure kept, nil where there is none.
func readMeasured[T any](path string, read func([]byte) (*T, error)) (*T, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// queueingClaims are the figures of `qpn --study`.
func queueingClaims(ctx context.Context) (out []report.Claim, err error) {
	rows, err := studyRows(ctx)
	for _, r := range rows {
		what := r.model() + " " + r.Metric
		if r.Lambda != nil {
			what += fmt.Sprintf(" at %g/s", *r.Lambda)
		}
		out = append(out, report.Claim{What: what, Study: atRate(r.Study, r.StudyAt), Ours: r.ours(), Verdict: string(r.Verdict), Note: r.Why})
	}
	return out, err
}
