package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/experiment"
	"edgebench/loadgen/price"
	"edgebench/profiles"
)

func newPlan() *cobra.Command {
	var (
		sets   []string
		url    string
		asJSON bool
		config bool
		prices priceFlags
	)
	cmd := &cobra.Command{
		Use:   "plan PROFILE",
		Short: "show what a run would send, and what it would cost, without sending anything",
		Example: `  loadgen plan bursty-ramp.yaml
  loadgen plan h2 --set seed=7 --json
  loadgen plan constant --price aws-lambda --memory-mb 512 --request-duration 120ms
  loadgen plan constant --price million=0.40,gb_second=0.0000025 --memory-mb 256 --request-duration 80ms`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if url != "" {
				sets = append([]string{fmt.Sprintf("target.url=%q", url)}, sets...)
			}
			p, err := loadProfile(args[0], sets)
			if err != nil {
				return err
			}
			if config {
				return printConfig(cmd, cmd.OutOrStdout(), p)
			}
			plan, err := makePlan(cmd.Context(), p)
			if err != nil {
				return err
			}
			if plan.Cost, err = prices.estimate(float64(plan.Planned)); err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), plan)
			}
			return plan.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a profile key, for example seed=7 (repeatable)")
	cmd.Flags().StringVar(&url, "url", "", "target instead of the profile's")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the plan as JSON")
	addPrintConfig(cmd.Flags(), &config)
	prices.add(cmd.Flags())
	return cmd
}

// A plan is what a run of a profile would do.
type plan struct {
	Profile      string      `json:"profile"`
	Seed         uint64      `json:"seed"`
	ScheduleHash string      `json:"schedule_hash"`
	DurationNS   int64       `json:"duration_ns"`
	Planned      uint64      `json:"planned"`
	Exact        bool        `json:"planned_is_exact"` // for this seed; else rounded from the integral
	Expected     float64     `json:"expected"`         // integral of the rate
	Deviation    float64     `json:"deviation"`        // of planned over seeds, standard; in the long run
	Connections  int         `json:"connections"`
	Phases       []planPhase `json:"phases"`

	Functions []planFunction `json:"functions,omitempty"`
	Trace     *planTrace     `json:"trace,omitempty"`

	Cost *price.Estimate `json:"cost,omitempty"` // when asked for

	need experiment.Need
}

type planPhase struct {
	Cycle    int     `json:"cycle"`
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	StartNS  int64   `json:"start_ns"`
	LengthNS int64   `json:"length_ns"`
	FromRPS  float64 `json:"from_rps"`
	ToRPS    float64 `json:"to_rps"`
	Expected float64 `json:"expected"`
	Planned  uint64  `json:"planned"`
}

func makePlan(ctx context.Context, p *profiles.Profile) (*plan, error) {
	s, err := p.Schedule()
	if err != nil {
		return nil, err
	}
	if err := experiment.CheckRequests(p, s); err != nil {
		return nil, err
	}
	phases := s.Phases()
	digest, err := s.Digest(ctx)
	if err != nil {
		return nil, err
	}
	out := &plan{
		Profile: p.Name, Seed: p.Seed, ScheduleHash: digest.Hash, DurationNS: int64(s.Duration()),
		Expected: s.Expected(), Deviation: s.Deviation(), Exact: digest.Walked(),
		Functions: planFunctions(p, s, digest), Trace: planTraceOf(p),
	}
	for i, ph := range phases {
		from, to := ph.Curve.Rate(0), ph.Curve.Rate(ph.Length)
		planned := uint64(s.ExpectedIn(i) + 0.5)
		if digest.Walked() {
			planned = digest.Counts[i]
		}
		out.Planned += planned
		out.Phases = append(out.Phases, planPhase{
			Cycle: ph.Cycle, Name: ph.Name, Kind: ph.Kind, StartNS: int64(ph.Start), LengthNS: int64(ph.Length),
			FromRPS: from, ToRPS: to, Expected: s.ExpectedIn(i), Planned: planned,
		})
	}
	need := experiment.ConnectionsFor(p, s)
	out.Connections, out.need = need.Connections, need
	return out, nil
}

func (p *plan) print(out io.Writer) error {
	fmt.Fprintf(out, "%s   seed %d   %s   %d requests   schedule %.12s\n\n",
		p.Profile, p.Seed, clock(time.Duration(p.DurationNS)), p.Planned, p.ScheduleHash)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "cycle\tphase\tstart\tlength\trate /s\texpected\tplanned\t")
	for _, ph := range p.Phases {
		rate := fmt.Sprintf("%.4g", ph.FromRPS)
		if ph.FromRPS != ph.ToRPS {
			rate = fmt.Sprintf("%.4g → %.4g", ph.FromRPS, ph.ToRPS)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%.1f\t%d\t\n", ph.Cycle, ph.Name,
			clock(time.Duration(ph.StartNS)), clock(time.Duration(ph.LengthNS)), rate, ph.Expected, ph.Planned)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if p.Deviation >= 0.5 {
		fmt.Fprintf(out, "\nThe total differs from the expected %.0f by chance: over seeds by about ±%.0f (one standard deviation).\n", p.Expected, p.Deviation)
	}
	if err := p.printFunctions(out); err != nil {
		return err
	}
	p.Trace.print(out)
	fmt.Fprintf(out, "\n%v\n", p.need)
	return printEstimate(out, p.Cost)
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
