package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/batch"
)

func newBatchStatus() *cobra.Command {
	var (
		flags  reachFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "status DIR|URL",
		Short: "which trials of a batch have a result, and what each worker does",
		Example: `  loadgen batch status night
  loadgen batch status nats://node0:4222 --token-file token`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			status, maxInvalid, err := flags.status(cmd, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), status)
			}
			printBatchStatus(cmd.OutOrStdout(), args[0], status, maxInvalid)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	flags.add(cmd)
	return cmd
}

// status of a batch in a folder, or of a coordinator.
func (r *reachFlags) status(cmd *cobra.Command, where string) (batch.Status, float64, error) {
	if isURL(where) {
		status, err := r.ask(cmd.Context(), where, batch.Request{Do: batch.AskStatus})
		return status, 1, err
	}
	folder := batch.NewFolder(where)
	p, err := folder.Load()
	if err != nil {
		return batch.Status{}, 0, exitError{exitUsage, err}
	}
	status, err := folder.Status(p)
	return status, p.Batch.MaxInvalid, err
}

// printBatchStatus prints how a batch stands. A batch in progress has no verdict
// yet.
func printBatchStatus(out io.Writer, name string, s batch.Status, maxInvalid float64) {
	fmt.Fprintf(out, "%s   %d trials: %d done (%d invalid), %d failed, %d running, %d to do\n", name, s.Trials, s.Done, s.Invalid, s.Failed, s.Claimed, s.Planned)
	if s.Retried > 0 {
		fmt.Fprintf(out, "retried %d trials took more than one attempt, %d attempts in all\n", s.Retried, s.Attempts)
	}
	switch {
	case s.Phase == batch.Open && s.Able() == 0 && len(s.Workers) > 0:
		fmt.Fprintln(out, "stands  every node is in quarantine: see to them, then loadgen batch lift")
	case s.Phase == batch.Open && s.Able() == 0:
		fmt.Fprintln(out, "stands  no worker is there: loadgen worker --join")
	case s.Phase == batch.Open:
		fmt.Fprintf(out, "left    about %s, until %s\n", clock(s.Left), time.Now().Add(s.Left).Format("Mon 15:04"))
	case s.Left > 0:
		fmt.Fprintf(out, "left    about %s one after the other\n", clock(s.Left))
	}
	if len(s.Workers) > 0 {
		printWorkers(out, s.Workers, time.Now())
	}
	switch {
	case s.Phase == batch.Open:
	case !s.Complete():
		fmt.Fprintln(out, "verdict incomplete")
	case !s.Sound(maxInvalid):
		fmt.Fprintf(out, "verdict invalid: more than %.0f %% of the trials are\n", 100*maxInvalid)
	default:
		fmt.Fprintln(out, "verdict complete")
	}
}

func printWorkers(out io.Writer, members []batch.Member, now time.Time) {
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "worker\tnode\tdoing\ttrial\tattempt\tfor\theard")
	for _, m := range members {
		doing, attempt := m.Doing, ""
		if m.Attempt > 0 {
			attempt = fmt.Sprint(m.Attempt)
		}
		if m.Quarantine != "" {
			doing = "in quarantine: " + m.Quarantine
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s ago\n", m.Worker, m.Node, doing, m.Trial, attempt, clock(now.Sub(m.Since)), clock(now.Sub(m.Heard)))
	}
	w.Flush() //nolint:errcheck // a broken output shows at the next write
	fmt.Fprintln(out)
}

func batchLine(s batch.Status, now time.Time) string {
	done := fmt.Sprintf("%d of %d trials done, %d invalid, %d failed, ", s.Done, s.Trials, s.Invalid, s.Failed)
	switch all := len(s.Workers); {
	case all == 0:
		return done + "no worker is there"
	case s.Able() == 0:
		return done + "every node is in quarantine"
	default:
		return fmt.Sprintf("%s%d workers, end about %s", done, all, now.Add(s.Left).Format("15:04"))
	}
}
