package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"edgebench/analysis/report"
	"edgebench/loadgen/batch"
)

func newBatchReport() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "what a batch found: modes side by side on one page, with intervals over trials, and what was left out",
		Long: `report makes the page of a batch: what loadgen report makes of its results, after
what became of the trials. The rules for trials that are left out were stated
beforehand, and every trial left out is listed.

Exit: 13 when the batch is not complete, or too many of its trials are invalid.`,
		Example: `  loadgen batch report night
  loadgen batch report night --html morning.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.html != "" && flags.outIn != "" {
				return exitError{exitUsage, errors.New("--html and --out: choose one")}
			}
			folder := batch.NewFolder(args[0])
			p, err := folder.Load()
			if err != nil {
				return exitError{exitUsage, err}
			}
			status, err := folder.Status(p)
			if err != nil {
				return err
			}
			events, err := folder.Events()
			if err != nil {
				return err
			}
			flags.course = courseOf(events)
			if flags.outIn == "" {
				flags.outIn = args[0]
			}
			if !flags.asJSON {
				printBatchStatus(cmd.OutOrStdout(), p.Name, status, p.Batch.MaxInvalid)
				fmt.Fprintln(cmd.OutOrStdout())
			}
			if err := flags.several(cmd, args); err != nil {
				return err
			}
			if !status.Sound(p.Batch.MaxInvalid) {
				return exitError{exitIncomplete, nil}
			}
			return nil
		},
	}
	flags.add(cmd.Flags())
	return cmd
}

// courseOf leaves out what went as it should.
func courseOf(events []batch.Event) []report.Happening {
	var course []report.Happening
	for _, e := range events {
		switch e.Kind {
		case batch.EventJoined, batch.EventOver:
		default:
			course = append(course, report.Happening{At: e.At, Kind: e.Kind, Text: e.Text})
		}
	}
	if len(course) == 1 && course[0].Kind == batch.EventBegan {
		return nil // a night without incidents
	}
	return course
}
