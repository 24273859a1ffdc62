package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"edgebench/analysis"
	"edgebench/analysis/qpn/twin"
	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

func newSim() *cobra.Command {
	var (
		sets    []string
		policy  string
		workers int
		seed    uint64
		trials  int
		out     string
		start   time.Duration
		phase   time.Duration
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
run. Memory is not simulated.`,
		Example: `  loadgen sim bursty-ramp.yaml --trials 100
  loadgen sim bursty-ramp.yaml --policy ewma-adaptive --trials 20 --out sims
  loadgen sim h2 --set target.bundled.workers=6`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if trials < 1 || trials > 100_000 {
				return exitError{exitUsage, fmt.Errorf("--trials %d: want 1 to 100000", trials)}
			}
			if start < 0 {
				return exitError{exitUsage, fmt.Errorf("--start %v: want 0 or more", start)}
			}
			if err := policyFaults(cmd, workers); err != nil {
				return err
			}
			sets = append(sets, policySets(cmd, policy, workers, seed)...)
			p, err := loadProfile(args[0], sets)
			if err != nil {
				return err
			}
			if p.Target.Bundled == nil {
				return exitError{exitUsage, twin.ErrNotBundled}
			}
			stop := newStopper(cmd.Context(), cmd.ErrOrStderr())
			defer stop.close()
			line := newProgressLine(cmd.ErrOrStderr(), quiet)
			if trials > 1 {
				// A folder of its own for many directories that belong together.
				out = filepath.Join(out, fmt.Sprintf("%s-%s-%s-sim", rundir.Stamp(time.Now()), p.Name, p.Target.Bundled.Policy.Name))
			}
			s := simulation{trials: trials, out: out, trial: twin.Trial{Profile: p, Start: start, Phase: phase}}
			results, err := s.run(stop.ctx, func(done int) { line.show(fmt.Sprintf("trial %d of %d", done, trials)) })
			line.clear()
			if err != nil {
				return err
			}
			report := results.report(p, out)
			if asJSON {
				err = writeJSON(cmd.OutOrStdout(), report)
			} else {
				err = report.print(cmd.OutOrStdout())
			}
			if err == nil && stop.ctx.Err() != nil {
				return exitError{exitPartial, nil}
			}
			return err
		},
	}
	f := cmd.Flags()
	addPolicyFlags(f, &policy, &workers, &seed)
	f.StringArrayVar(&sets, "set", nil, "override a profile key, for example target.bundled.tick=1s (repeatable)")
	f.IntVar(&trials, "trials", 1, "number of trials")
	f.StringVar(&out, "out", "runs", "folder for the run directories, one a trial")
	f.DurationVar(&start, "start", 0, fmt.Sprintf("time a worker takes to start (default %v, as measured)", twin.DefaultStart))
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
	dir, err := trial.Record(ctx, s.out, version, redactedArgv())
	if err != nil {
		return nil, err
	}
	summary, err := analysis.Summarize(dir)
	if err != nil {
		return nil, err
	}
	return summary, analysis.WriteSummary(dir, summary)
}

// A simReport sums trials up.
type simReport struct {
	Producer string       `json:"producer"`
	Profile  string       `json:"profile"`
	Policy   string       `json:"policy"`
	Trials   int          `json:"trials"`
	Out      string       `json:"out"`
	Metrics  []metricStat `json:"metrics"`
}

type metricStat struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	analysis.Trials
}

func (results simResults) report(p *profiles.Profile, out string) *simReport {
	r := &simReport{Producer: rundir.ProducerTwin, Profile: p.Name, Policy: p.Target.Bundled.Policy.Name, Trials: len(results), Out: filepath.Clean(out)}
	add := func(name, unit string, of func(*analysis.Summary) (float64, bool)) {
		var values []float64
		for _, s := range results {
			if v, ok := of(s); ok {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			r.Metrics = append(r.Metrics, metricStat{name, unit, analysis.OverTrials(values)})
		}
	}
	for i := range results[0].Measured {
		name := results[0].Measured[i].Name
		add(name+" cold", "requests", func(s *analysis.Summary) (float64, bool) { return number(s.Measured[i].All.Cold.Truth) })
		add(name+" above threshold", "requests", func(s *analysis.Summary) (float64, bool) {
			return number(s.Measured[i].All.Cold.ByThreshold)
		})
	}
	add("cold", "requests", func(s *analysis.Summary) (float64, bool) { return number(s.Cold.Truth) })
	add("errors", "requests", func(s *analysis.Summary) (float64, bool) { return float64(s.Counts.Errors), true })
	milliseconds := func(ns *int64) (float64, bool) {
		v, ok := number(ns)
		return v / 1e6, ok
	}
	add("response mean", "ms", func(s *analysis.Summary) (float64, bool) { return milliseconds(s.Response.MeanNS) })
	add("response p50", "ms", func(s *analysis.Summary) (float64, bool) { return milliseconds(s.Response.P50NS) })
	add("response p99", "ms", func(s *analysis.Summary) (float64, bool) { return milliseconds(s.Response.P99NS) })
	add("workers mean", "", func(s *analysis.Summary) (float64, bool) { return number(s.Resources.WorkersMean) })
	add("workers max", "", func(s *analysis.Summary) (float64, bool) { return number(s.Resources.WorkersMax) })
	return r
}

func number[T int64 | uint64 | float64](v *T) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return float64(*v), true
}

func (r *simReport) print(out io.Writer) error {
	fmt.Fprintf(out, "%s   policy %s   %d simulated trials (the trial is the unit)\n\n", r.Profile, r.Policy, r.Trials)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "metric\tunit\tmean\t95 % interval\tmedian\tmin\tmax\t")
	for _, m := range r.Metrics {
		interval := "–"
		if m.Low95 != nil {
			interval = strings.ReplaceAll(fmt.Sprintf("%.1f to %.1f", *m.Low95, *m.High95), "-0.0", "0.0")
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%s\t%.1f\t%.1f\t%.1f\t\n", m.Name, m.Unit, m.Mean, interval, m.Median, m.Min, m.Max)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nrun directories below %s\n", r.Out)
	return err
}
