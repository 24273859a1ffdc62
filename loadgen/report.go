package main

import (
	"io"

	"github.com/spf13/cobra"

	"edgebench/loadgen/experiment"
)

func newReport() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "make summary.json and report.html of a run directory again, and print the summary",
		Example: `  loadgen report runs/20261130T054500Z-bursty-ramp-ewma-1a2b3c
  loadgen report RUN --json                        summary.json on stdout`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			summary, err := experiment.Derive(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), summary)
			}
			_, err = io.WriteString(cmd.OutOrStdout(), textOf(cmd.OutOrStdout(), args[0], summary))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print summary.json")
	return cmd
}
