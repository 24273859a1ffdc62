package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"edgebench/analysis/compare"
	"edgebench/analysis/report"
	"edgebench/loadgen/batch"
)

func newBatchReport() *cobra.Command {
	var (
		flags groupFlags
		x, y  string
	)
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "what a batch found: modes side by side with intervals over trials, effects, costs, and what was left out",
		Long: `report sets the modes of a batch side by side: the first mode of the plan's first
block is what the others are compared with. The rules for trials that are left out
were stated beforehand, and every trial left out is listed.`,
		Example: `  loadgen batch report night
  loadgen batch report night --phase spike --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := batch.NewFolder(args[0])
			p, err := folder.Load()
			if err != nil {
				return exitError{exitUsage, err}
			}
			status, err := folder.Status(p)
			if err != nil {
				return err
			}
			r := batchReport{Status: status}
			if err := r.compare(args[0], &flags, x, y); err != nil {
				return err
			}
			if err := r.write(cmd.OutOrStdout(), p, &flags); err != nil {
				return err
			}
			if !status.Sound(p.Batch.MaxInvalid) {
				return exitError{exitIncomplete, nil}
			}
			return nil
		},
	}
	flags.add(cmd.Flags())
	cmd.Flags().StringSliceVar(&flags.Metrics, "metric", nil, "metrics to compare (repeatable): "+metricHelp())
	cmd.Flags().StringVar(&x, "x", "", "cost axis, as in loadgen pareto")
	cmd.Flags().StringVar(&y, "y", "", "quality axis, as in loadgen pareto")
	return cmd
}

// A batchReport is what the morning wants to know.
type batchReport struct {
	batch.Status
	comparison *compare.Comparison
	frontier   *compare.Frontier
	notes      []string
}

// compare sets the modes side by side. What one mode alone, or runs too short to
// be sampled, cannot tell is a note and no error.
func (r *batchReport) compare(dir string, g *groupFlags, x, y string) error {
	set, err := g.read([]string{dir})
	if err != nil {
		return err
	}
	g.Force = true // modes are different configurations: that is what a batch is for
	keep := func(err error) error {
		if errors.Is(err, compare.ErrUsage) {
			r.notes = append(r.notes, err.Error())
			return nil
		}
		return err
	}
	if len(set.Groups) > 1 {
		if r.comparison, err = compare.Compare(set, g.Options); keep(err) != nil {
			return err
		}
	} else {
		r.notes = append(r.notes, "one mode only: nothing to compare it with")
	}
	r.frontier, err = compare.Pareto(set, x, y, g.Options)
	return keep(err)
}

func (r *batchReport) write(out io.Writer, p *batch.Plan, g *groupFlags) error {
	switch {
	case g.asJSON:
		return writeJSON(out, map[string]any{"status": r.Status, "comparison": r.comparison, "pareto": r.frontier, "notes": r.notes})
	case g.asCSV && r.comparison != nil:
		return report.CompareCSV(out, r.comparison)
	case g.asCSV:
		return exitError{exitUsage, errors.New("--csv: " + strings.Join(r.notes, "; "))}
	}
	printBatchStatus(out, p, r.Status)
	o := report.TextOptions{Colour: colours(out), Width: widthOf(out)}
	if r.comparison != nil {
		fmt.Fprintf(out, "\n%s", report.CompareText(r.comparison, o))
	}
	if r.frontier != nil {
		fmt.Fprintf(out, "\n%s", report.ParetoText(r.frontier, o))
	}
	for _, note := range r.notes {
		fmt.Fprintf(out, "note    %s\n", note)
	}
	return nil
}
