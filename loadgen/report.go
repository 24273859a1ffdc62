package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"edgebench/analysis/figures"
	"edgebench/loadgen/experiment"
)

func newReport() *cobra.Command {
	var (
		asJSON    bool
		figureDir string
	)
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "make summary.json and report.html of run directories again, print the summaries, draw figures",
		Example: `  loadgen report runs/20261130T054500Z-bursty-ramp-ewma-1a2b3c
  loadgen report RUN --json                        summary.json on stdout
  loadgen report runs/* --figures figures          SVG and PNG; runs of one policy are its trials`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && len(args) > 1 {
				return exitError{exitUsage, errors.New("--json takes one run")}
			}
			for i, dir := range args {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				if err := reportOne(cmd.OutOrStdout(), dir, asJSON); err != nil {
					return err
				}
			}
			if figureDir == "" {
				return nil
			}
			return drawRuns(cmd.ErrOrStderr(), figureDir, args)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print summary.json")
	cmd.Flags().StringVar(&figureDir, "figures", "", "folder for figures of all runs, SVG and PNG (see: loadgen list figures)")
	return cmd
}

func reportOne(out io.Writer, dir string, asJSON bool) error {
	summary, err := experiment.Derive(dir)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(out, summary)
	}
	_, err = io.WriteString(out, textOf(out, dir, summary))
	return err
}

func drawRuns(notice io.Writer, out string, dirs []string) error {
	runs, err := figures.LoadAll(dirs)
	if err != nil {
		return err
	}
	drawn, err := figures.WriteAll(out, runs)
	fmt.Fprintf(notice, "figures in %s: %s\n", out, strings.Join(drawn, ", "))
	return err
}
