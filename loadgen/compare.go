package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgebench/analysis/compare"
	"edgebench/analysis/figures"
	"edgebench/analysis/report"
)

// groupFlags are common to the commands over groups of runs.
type groupFlags struct {
	compare.Options
	asJSON, asCSV bool
	figure        string
}

func (g *groupFlags) add(f *pflag.FlagSet) {
	f.StringVar(&g.Phase, "phase", "", "compare all cycles of one phase instead of whole runs")
	f.StringVar(&g.Function, "function", "", "compare the requests of one function instead of all")
	f.StringVar(&g.Path, "path", "", "compare the answers of one path, also with --phase: warm queued fresh fallback")
	f.BoolVar(&g.Force, "force", false, "compare groups that were asked for different work, and say so")
	f.BoolVar(&g.Invalid, "include-invalid", false, "take invalid and partial trials in, and say so")
	f.BoolVar(&g.asJSON, "json", false, "print JSON")
	f.BoolVar(&g.asCSV, "csv", false, "print CSV")
	f.StringVar(&g.figure, "figure", "", "folder for a figure of it, SVG and PNG")
}

// draw writes a figure where one is asked for.
func (g *groupFlags) draw(notice io.Writer, name string, picture func() (*figures.Picture, error)) error {
	if g.figure == "" {
		return nil
	}
	p, err := picture()
	if err == nil {
		err = p.Write(g.figure, name)
	}
	if err != nil {
		return fmt.Errorf("figure %s: %w", name, err)
	}
	fmt.Fprintf(notice, "figure in %s: %s\n", g.figure, name)
	return nil
}

func (g *groupFlags) read(args []string) (*compare.Set, error) {
	if g.asJSON && g.asCSV {
		return nil, exitError{exitUsage, errors.New("--json and --csv: choose one")}
	}
	set, err := compare.Read(args, g.Options)
	return set, usage(err)
}

// usage gives what was asked wrongly its exit code.
func usage(err error) error {
	if errors.Is(err, compare.ErrUsage) {
		return exitError{exitUsage, err}
	}
	return err
}

func newCompare() *cobra.Command {
	var flags groupFlags
	cmd := &cobra.Command{
		Use:   "compare A B...",
		Short: "set groups of trials side by side: differences with intervals, effect sizes and exact tests",
		Long: `compare takes run directories, folders of them (what sim --trials makes) and
batches. Each folder makes groups of its own, one a configuration; runs named one
by one are grouped by configuration, which is the resolved profile without its
seed, and the producer. Every group is compared with the first.

The trial is the unit. Where every trial has a partner with the same schedule the
comparison is paired. Effects and intervals come before p, which is exact up to
50 values and corrected by Holm over everything printed.`,
		Example: `  loadgen compare runs/*-ewma-* runs/*-static-*
  loadgen compare sims/A sims/B --phase spike
  loadgen compare sims/A sims/B --function resize
  loadgen compare sims/A sims/B --path queued --phase spike
  loadgen compare runs/night sims/night --metric p99,cold
  loadgen compare sims/A sims/B --csv > table.csv
  loadgen compare sims/A sims/B --figure figures`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.Apart = true
			set, err := flags.read(args)
			if err != nil {
				return err
			}
			if len(set.Groups) < 2 {
				return exitError{exitUsage, fmt.Errorf("one group only (%s, %d trials): name another to compare it with", set.Groups[0].Name, len(set.Groups[0].Trials))}
			}
			c, err := compare.Compare(set, flags.Options)
			if err != nil {
				return usage(err)
			}
			if err := flags.draw(cmd.ErrOrStderr(), "comparison", func() (*figures.Picture, error) { return figures.Comparison(c) }); err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			return flags.write(out, c, func() error { return report.CompareCSV(out, c) }, func(o report.TextOptions) string { return report.CompareText(c, o) })
		},
	}
	flags.add(cmd.Flags())
	cmd.Flags().StringSliceVar(&flags.Metrics, "metric", nil, "metrics to compare (repeatable): "+metricHelp())
	return cmd
}

func (g *groupFlags) write(out io.Writer, v any, csv func() error, text func(report.TextOptions) string) error {
	switch {
	case g.asJSON:
		return writeJSON(out, v)
	case g.asCSV:
		return csv()
	}
	_, err := io.WriteString(out, text(textOptions(out)))
	return err
}

func metricHelp() (text string) {
	for i, m := range compare.Metrics() {
		if i > 0 {
			text += " "
		}
		text += m.Name
	}
	return text
}
