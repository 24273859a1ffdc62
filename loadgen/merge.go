package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"edgebench/analysis/merge"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/experiment"
)

func newMerge() *cobra.Command {
	var (
		out           string
		asJSON, asCSV bool
	)
	cmd := &cobra.Command{
		Use:   "merge RUN RUN...",
		Short: "make one run directory of several runs of one experiment, histograms added exactly",
		Long: `merge adds runs of one profile (seeds may differ) counter by counter into a run
directory of its own. Runs at the same time are parts of one load: their rates
add. Runs one after the other are put end to end, phase by phase, without the
gaps between them. Refused are other profiles, producers or thresholds, partial
runs, the same run twice, and times that overlap only partly.

A merged run answers "what did all requests together see". For differences
between trials use compare: the requests of one trial are not independent.`,
		Example: `  loadgen merge runs/A runs/B --out merged
  loadgen merge runs/parts --out merged            all runs of a folder`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && asCSV {
				return exitError{exitUsage, errors.New("--json and --csv: choose one")}
			}
			dirs, err := rundir.FindAll(args)
			if err != nil {
				return err
			}
			union, err := merge.Merge(dirs, merge.Options{Parent: out, Version: version, Argv: redactedArgv(cmd.Context())})
			if errors.Is(err, merge.ErrUnlike) {
				return exitError{exitUsage, err}
			}
			if err != nil {
				return err
			}
			if _, err := experiment.Derive(union.Dir); err != nil {
				return ours(err)
			}
			switch {
			case asJSON:
				return writeJSON(cmd.OutOrStdout(), union)
			case asCSV:
				return writeUnionCSV(cmd.OutOrStdout(), union)
			}
			return printUnion(cmd.OutOrStdout(), union)
		},
	}
	cmd.Flags().StringVar(&out, "out", "runs", "folder for the merged run directory")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "print CSV, a row a part and one of the union")
	return cmd
}

func writeUnionCSV(out io.Writer, u *merge.Union) error {
	w := csv.NewWriter(out)
	rows := [][]string{{"part", "dir", "seed", "started_utc", "sent", "seconds", "sent_rps"}}
	for i, p := range u.Parts {
		rows = append(rows, []string{strconv.Itoa(i + 1), p.Dir, strconv.FormatUint(p.Seed, 10), p.Started, strconv.FormatUint(p.Sent, 10), cell(&p.Seconds), cell(p.Rate)})
	}
	return w.WriteAll(append(rows, []string{"union", u.Dir, "", "", strconv.FormatUint(u.Sent, 10), cell(&u.Seconds), cell(u.Rate)}))
}

func printUnion(out io.Writer, u *merge.Union) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "run\tseed\tstarted\tsent\tseconds\tsent/s")
	per := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return fmt.Sprintf("%.2f", *v)
	}
	for _, p := range u.Parts {
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%.1f\t%s\n", p.Dir, p.Seed, p.Started, p.Sent, p.Seconds, per(p.Rate))
	}
	how := "one after the other, gaps left out"
	if u.Together {
		how = "at the same time, rates added"
	}
	fmt.Fprintf(w, "union\t\t%s\t%d\t%.1f\t%s\n", how, u.Sent, u.Seconds, per(u.Rate))
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", u.Dir)
	return err
}
