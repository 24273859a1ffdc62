package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"edgebench/analysis"
	"edgebench/analysis/qpn/twin"
	"edgebench/analysis/rundir"
)

func newSim() *cobra.Command {
	var (
		sets    []string
		policy  string
		vary    string
		workers int
		seed    uint64
		trials  int
		out     string
		start   time.Duration
		phase   time.Duration
		over    time.Duration
		asJSON  bool
		quiet   bool
	)
	cmd := &cobra.Command{
		Use:   "sim PROFILE",
		Short: "play a profile against the simulated node: the node's own code under a virtual clock",
		Long: `sim plays a profile against the twin of the bundled node: the same queue, miss
paths, policies and scavenger, with virtual time in place of processes and
sockets. Every trial has its own seed (the profile's, plus the trial) and its own
phase of the policy's tick, and becomes a run directory of the schema of a live
run. Memory is not simulated.

With several policies, or with values of a key to vary, each combination is a
point with its own trials, and they are set side by side; what the study that
bursty-ramp and warmup-sweep come from published stands beside ours.`,
		Example: `  loadgen sim bursty-ramp.yaml --trials 100
  loadgen sim bursty-ramp.yaml --policy ewma-adaptive --trials 20 --out sims
  loadgen sim bursty-ramp --policy all --trials 20
  loadgen sim bursty-ramp --policy 'static,ewma,{ewma: {reset: 0}},kpa' --trials 60
  loadgen sim warmup-sweep --policy ewma,ewma-adaptive --vary phases.warmup.for=5s,10s,20s,35s,60s,120s --trials 20
  loadgen sim h2 --set target.bundled.workers=6`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if trials < 1 || trials > 100_000 {
				return exitError{exitUsage, fmt.Errorf("--trials %d: want 1 to 100000", trials)}
			}
			if start < 0 {
				return exitError{exitUsage, fmt.Errorf("--start %v: want 0 or more", start)}
			}
			if over < 0 {
				return exitError{exitUsage, fmt.Errorf("--overhead %v: want 0 or more", over)}
			}
			if err := policyFaults(cmd, workers); err != nil {
				return err
			}
			sets = append(sets, drawSets(cmd, workers, seed)...)
			points, err := simPoints(args[0], sets, policy, vary)
			if err != nil {
				return err
			}
			stop := newCalcStopper(cmd.Context(), cmd.ErrOrStderr())
			defer stop.close()
			for _, w := range simWarnings(points) {
				fmt.Fprintf(cmd.ErrOrStderr(), "loadgen: warning: %s\n", w)
			}
			line := newProgressLine(cmd.ErrOrStderr(), quiet)
			begun := rundir.Stamp(time.Now())
			for i := range points {
				into := out
				if trials > 1 || len(points) > 1 {
					// A folder of its own for many directories that belong together.
					into = filepath.Join(out, fmt.Sprintf("%s-%s-sim", begun, points[i].slug()))
				}
				s := simulation{trials: trials, out: into, trial: twin.Trial{Profile: points[i].profile, Start: start, Overhead: over, Phase: phase}}
				var results simResults
				results, err = s.run(stop.ctx, func(done int) {
					line.show(fmt.Sprintf("%strial %d of %d", points[i].progress(len(points)), done, trials))
				})
				if err != nil {
					break
				}
				points[i].report = results.report(points[i].profile, into)
			}
			line.clear()
			played := slices.DeleteFunc(points, func(p simPoint) bool { return p.report == nil })
			if err != nil && (len(played) == 0 || stop.ctx.Err() == nil) {
				return err
			}
			if err := printSimulated(cmd.OutOrStdout(), played, vary, asJSON); err != nil {
				return err
			}
			if stop.ctx.Err() != nil {
				return exitError{exitPartial, nil}
			}
			return nil
		},
	}
	f := cmd.Flags()
	addPolicyFlags(f, &policy, &workers, &seed)
	f.Lookup("policy").Usage = "policy of the simulated node, several with commas between, or all; parameters as in '{ewma: {reset: 0}}'"
	f.StringVar(&vary, "vary", "", "a profile key and the values to play, as phases.warmup.for=5s,35s: a point each")
	f.StringArrayVar(&sets, "set", nil, "override a profile key, for example target.bundled.tick=1s (repeatable)")
	f.IntVar(&trials, "trials", 1, "number of trials")
	f.StringVar(&out, "out", "runs", "folder for the run directories, one a trial")
	f.DurationVar(&start, "start", 0, fmt.Sprintf("time a worker takes to start (default %v, as measured)", twin.DefaultStart))
	f.DurationVar(&over, "overhead", 0, fmt.Sprintf("by how much a worker's execution is longer than the service time; 1ns is none (default %v, as measured)", twin.DefaultOverhead))
	f.DurationVar(&phase, "tick-phase", -1, "instant of the first tick; negative: drawn for every trial")
	f.BoolVar(&asJSON, "json", false, "print the result as JSON")
	f.BoolVar(&quiet, "quiet", false, "no progress line")
	return cmd
}

// A simulation is some trials of one profile.
type simulation struct {
	trial  twin.Trial
	trials int
	out    string
	// seeds are those of schedules to repeat, each in turn with further draws of
	// everything else. nil: every trial has a schedule of its own, the profile's
	// seed plus its number.
	seeds []uint64
}

// simResults are in the order of the trials; an interrupted simulation has fewer.
type simResults []*analysis.Summary

// run plays the trials on every core. A cancelled ctx keeps those that are done.
func (s simulation) run(ctx context.Context, progress func(done int)) (simResults, error) {
	var (
		mu      sync.Mutex
		wg      sync.WaitGroup
		first   error
		done    int
		results = make(simResults, s.trials)
		next    = make(chan int)
	)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				summary, err := s.one(ctx, i)
				mu.Lock()
				results[i] = summary
				if err != nil && first == nil && ctx.Err() == nil {
					first = fmt.Errorf("trial %d: %w", i+1, err)
				}
				done++
				progress(done)
				mu.Unlock()
			}
		})
	}
	failed := func() bool { mu.Lock(); defer mu.Unlock(); return first != nil }
	for i := 0; i < s.trials && ctx.Err() == nil && !failed(); i++ {
		next <- i
	}
	close(next)
	wg.Wait()
	kept := results[:0]
	for _, r := range results {
		if r != nil {
			kept = append(kept, r)
		}
	}
	if first == nil && len(kept) == 0 {
		return nil, exitError{exitPartial, ctx.Err()}
	}
	return kept, first
}

func (s simulation) one(ctx context.Context, i int) (*analysis.Summary, error) {
	trial, p := s.trial, *s.trial.Profile
	if n := len(s.seeds); n > 0 {
		p.Seed, trial.Replicate = s.seeds[i%n], i/n
	} else {
		p.Seed += uint64(i)
	}
	trial.Profile = &p
	dir, err := trial.Record(ctx, s.out, version, redactedArgv(ctx))
	if err != nil {
		return nil, err
	}
	summary, err := analysis.Summarize(dir)
	if err != nil {
		return nil, ours(err)
	}
	return summary, analysis.WriteSummary(dir, summary)
}
