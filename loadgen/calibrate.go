package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"edgebench/analysis"
	"edgebench/analysis/report"
)

func newCalibrate() *cobra.Command {
	var asJSON, asCSV bool
	cmd := &cobra.Command{
		Use:   "calibrate RUN",
		Short: "propose a cold-start threshold from a run's service times, and say what it would get wrong",
		Long: `calibrate looks for two crowds in the service times of a run, in all and in each
phase with measure: cold, and proposes a threshold in the valley between them. It
says so when there is one crowd only: then no threshold tells cold from warm.
Where answers were marked, both error rates stand beside each threshold.`,
		Example: `  loadgen calibrate runs/20261130T090629Z-bursty-ramp-ewma-16b6d1
  loadgen calibrate RUN --json
  loadgen calibrate RUN --csv                      a row a part and threshold`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && asCSV {
				return exitError{exitUsage, errors.New("--json and --csv: choose one")}
			}
			c, err := analysis.Calibrate(args[0])
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			switch {
			case asJSON:
				return writeJSON(out, c)
			case asCSV:
				return report.CalibrationCSV(out, c)
			}
			_, err = io.WriteString(out, report.CalibrationText(c, textOptions(out)))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "print CSV")
	return cmd
}
