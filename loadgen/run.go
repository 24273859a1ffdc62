package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"edgebench/analysis"
	"edgebench/analysis/report"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/experiment"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// runFlags are what the command line says of one run.
type runFlags struct {
	url, rate, duration string
	policy              string
	workers             int
	seed                uint64
	sets, thresholds    []string
	out                 string
	asJSON, quiet       bool
	noPreflight         bool
	predict             bool
	printConfig         bool
	ci                  ciFlags
	guard               guardFlags
	live                liveFlags
	share, node         string
	start               startFlag
}

func newRun() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run [PROFILE]",
		Short: "play a profile against its target and write a run directory with a report",
		Long: `run plays a profile open loop: every request is sent at its planned instant,
whatever became of the ones before. A profile without a url starts the bundled
worker node, samples it, and stops it. PROFILE is a file, else the name of an
embedded profile. Without a PROFILE, --url with --rate and --duration is enough.

The first Ctrl-C stops sending and waits for open requests, the second gives
them up; either way everything measured so far is written.

Exit: 0 ok, 1 internal error, 2 usage or profile error, 3 target unreachable,
10 a threshold failed, 11 the generator was the limit, 12 interrupted or the
target was lost: partial results kept. Of several, 12 comes before 11 and 11
before 10: thresholds say nothing about a run that cannot be used.`,
		Example: `  loadgen run bursty-ramp.yaml
  loadgen run bursty-ramp.yaml --policy static --workers 15
  loadgen run bursty-ramp-quick --set target.bundled.miss=queue --seed 7
  loadgen run --url http://127.0.0.1:8080/ --rate 200/s --duration 10s
  loadgen run constant --url http://127.0.0.1:8080/fn --json --quiet
  loadgen run bursty-ramp --live :0
  loadgen run my.yaml --policy kpa --print-config   what each key is, and who said so
  loadgen run h2 --threshold "response.p99 < 2s" --threshold "error_rate < 1%"
  loadgen run constant --quiet --junit loadgen.xml --markdown "$GITHUB_STEP_SUMMARY"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := flags.profile(cmd, args)
			if err != nil {
				return errors.Join(err, flags.ci.end(strings.Join(args, " "), nil, err))
			}
			for _, expression := range flags.thresholds {
				p.AddThreshold("--threshold", expression)
			}
			if flags.printConfig {
				return printConfig(cmd, cmd.OutOrStdout(), p)
			}
			return flags.run(cmd, p)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.url, "url", "", "target to use instead of the bundled node")
	f.StringVar(&flags.rate, "rate", "", "without PROFILE: constant rate, for example 200/s")
	f.StringVar(&flags.duration, "duration", "", "without PROFILE: how long, for example 30s")
	addPolicyFlags(f, &flags.policy, &flags.workers, &flags.seed)
	f.StringArrayVar(&flags.sets, "set", nil, "override a profile key, for example request.timeout=5s (repeatable)")
	f.StringArrayVar(&flags.thresholds, "threshold", nil, "condition the run has to meet, else exit 10; for example 'spike.cold.truth < 10%' (repeatable)")
	f.StringVar(&flags.out, "out", "runs", "folder for the run directory")
	f.BoolVar(&flags.predict, "predict", false, "afterwards, set the run beside what models predict (see: loadgen predict --help)")
	f.BoolVar(&flags.asJSON, "json", false, "print summary.json on stdout instead of the tables")
	addPrintConfig(f, &flags.printConfig)
	flags.ci.add(f)
	flags.guard.add(f)
	f.BoolVar(&flags.noPreflight, "no-preflight", false, "do not look what the target speaks before the run (a connection or two, one request at most)")
	flags.live.add(f)
	f.BoolVar(&flags.quiet, "quiet", false, "no progress line and no notices")
	f.StringVar(&flags.share, "share", "", "send one of several equal parts of the schedule, 1/3 the first of three; the others are other generators'")
	f.StringVar(&flags.node, "node", "", "HOST:PORT where the bundled node runs already (see: loadgen node --help)")
	flags.start.add(f)
	return cmd
}

// profile resolves the command line to one profile.
func (r *runFlags) profile(cmd *cobra.Command, args []string) (*profiles.Profile, error) {
	if err := policyFaults(cmd, r.workers); err != nil {
		return nil, err
	}
	sets := append(policySets(cmd, r.policy, r.workers, r.seed), r.sets...)
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	if len(args) == 1 {
		if given("rate") || given("duration") {
			return nil, exitError{exitUsage, errors.New("--rate and --duration make a run without PROFILE; use --set to change one")}
		}
		if given("url") {
			sets = append([]string{fmt.Sprintf("target.url=%q", r.url)}, sets...) // a quoted YAML scalar
		}
		return loadProfile(args[0], sets)
	}
	if !given("url") || !given("rate") || !given("duration") {
		return nil, exitError{exitUsage, errors.New("want a PROFILE, or --url with --rate and --duration (see loadgen run --help)")}
	}
	parsed, err := parseSets(sets)
	if err != nil {
		return nil, err
	}
	return profiles.OneLiner(r.url, r.rate, r.duration, parsed)
}

func (r *runFlags) run(cmd *cobra.Command, p *profiles.Profile) error {
	stderr := cmd.ErrOrStderr()
	line := newProgressLine(stderr, r.quiet)
	notice := stderr
	if r.quiet {
		notice = io.Discard
	}
	if err := r.ci.begin(p.Name); err != nil {
		return err
	}
	stop := newStopper(cmd.Context(), notice)
	defer stop.close()
	config := experiment.Config{
		Profile: p, Out: r.out, Argv: redactedArgv(cmd.Context()), Version: version, Abort: stop.abort, Notice: notice,
		NoPreflight: r.noPreflight,
		Admit:       func(i experiment.Intent) error { return r.guard.admit(stop.ctx, cmd, i) },
		Progress:    func(s experiment.Status) { line.show(statusLine(s)) },
	}
	if err := r.together(stop.ctx, cmd, &config); err != nil {
		return errors.Join(unlessBegun(err), r.ci.end(p.Name, nil, err))
	}
	shown, err := r.live.open(stop, line.around(stderr))
	if err != nil {
		return errors.Join(err, r.ci.end(p.Name, nil, err))
	}
	shown.watch(&config)
	outcome, err := experiment.Run(stop.ctx, config)
	line.clear()
	err = ours(err)
	shown.end(outcome, err)
	if outcome != nil {
		if told := r.print(cmd.OutOrStdout(), outcome); !errors.Is(told, syscall.EPIPE) { // else nobody listens; the run is kept
			err = errors.Join(err, told)
		}
		err = errors.Join(err, r.ci.end(p.Name, outcome.Summary, nil))
		if r.predict {
			err = errors.Join(err, predictRun(cmd.Context(), cmd.OutOrStdout(), stderr, p, outcome.Dir, r))
		}
	} else {
		err = errors.Join(err, r.ci.end(p.Name, nil, err))
	}
	if err != nil {
		return unlessBegun(err)
	}
	return verdictError(outcome)
}

// together settles what is done of a run that others take part in.
func (r *runFlags) together(ctx context.Context, cmd *cobra.Command, c *experiment.Config) (err error) {
	if r.share != "" {
		if c.Share, err = arrival.ParseShare(r.share); err != nil {
			return exitError{exitUsage, fmt.Errorf("--share: %w", err)}
		}
	}
	c.NodeAt = r.node
	c.Begin, err = r.start.begin(cmd, &readyLine{Share: r.share}, func(at time.Time) error { return experiment.AwaitAppointment(ctx, at) })
	return err
}

func (r *runFlags) print(stdout io.Writer, o *experiment.Outcome) error {
	if r.asJSON {
		return writeJSON(stdout, o.Summary)
	}
	_, err := io.WriteString(stdout, textOf(stdout, filepath.Join(o.Dir, rundir.ReportFile), o.Summary))
	return err
}

// textOf is the summary of a run, whose page is beside it, as it fits stdout.
func textOf(stdout io.Writer, page string, s *analysis.Summary) string {
	o := textOptions(stdout)
	o.Report = page
	return report.Text(s, o)
}

// verdictError turns a verdict into its exit code; the output has told the rest.
func verdictError(o *experiment.Outcome) error {
	switch o.Summary.Verdict {
	case analysis.Partial:
		return exitError{exitPartial, nil}
	case analysis.Invalid:
		return exitError{exitInvalid, nil}
	case analysis.ThresholdsFailed:
		return exitError{exitThresholdsFailed, nil}
	}
	return nil
}
