package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/batch"
)

// reachFlags say how to reach a coordinator over the network.
type reachFlags struct {
	tokenFile, ca, batch string
}

func (r *reachFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.tokenFile, "token-file", "", "file with the coordinator's token, with a URL in place of DIR")
	f.StringVar(&r.ca, "tls-ca", "", "authority that signed the coordinator's certificate, PEM")
	f.StringVar(&r.batch, "batch", "", "name of the batch, on a server that the coordinator shares")
}

// isURL reports whether a batch is named by its coordinator's address.
func isURL(where string) bool { return strings.Contains(where, "://") }

// ask sends a request to the coordinator at a URL.
func (r *reachFlags) ask(ctx context.Context, url string, q batch.Request) (status batch.Status, err error) {
	token, err := readToken(r.tokenFile)
	if err != nil {
		return status, exitError{exitUsage, err}
	}
	store, err := batch.Dial(batch.Access{URL: url, Token: token, CA: r.ca, Batch: r.batch, Name: "asking"})
	if errors.Is(err, batch.ErrRefused) {
		return status, exitError{exitUsage, err}
	}
	if err != nil {
		return status, exitError{exitUnreachable, err}
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	status, err = store.Ask(ctx, q)
	switch {
	case errors.Is(err, batch.ErrNoCoordinator):
		err = exitError{exitUnreachable, err}
	case err != nil:
		err = exitError{exitUsage, err}
	}
	return status, err
}

func newBatchCancel() *cobra.Command {
	var (
		flags reachFlags
		drain bool
	)
	cmd := &cobra.Command{
		Use:   "cancel DIR|URL",
		Short: "end a batch in progress; what is done is kept, and resume goes on",
		Long: `cancel ends the trials in progress on every worker and the batch with them; with
--drain they come to their end, and no others begin. By the folder it waits until
the coordinator has ended. What is done is kept; "batch resume" or "coordinator"
goes on with the rest.`,
		Example: `  loadgen batch cancel night
  loadgen batch cancel night --drain
  loadgen batch cancel nats://node0:4222 --token-file token`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := batch.Request{Do: batch.AskCancel}
			if drain {
				request.Do = batch.AskDrain
			}
			if isURL(args[0]) {
				status, err := flags.ask(cmd.Context(), args[0], request)
				if err == nil {
					printBatchStatus(cmd.OutOrStdout(), args[0], status, 1)
				}
				return err
			}
			return cancelFolder(cmd, args[0], request)
		},
	}
	cmd.Flags().BoolVar(&drain, "drain", false, "let the trials in progress come to their end")
	flags.add(cmd)
	return cmd
}

// cancelFolder asks the coordinator of a folder, and waits for its end.
func cancelFolder(cmd *cobra.Command, dir string, request batch.Request) error {
	folder := batch.NewFolder(dir)
	p, err := folder.Load()
	if err != nil {
		return exitError{exitUsage, err}
	}
	busy, err := folder.Busy()
	if err == nil && !busy {
		err = fmt.Errorf("%s: no coordinator is at work there; nothing to be cancelled", dir)
	}
	if err != nil {
		return exitError{exitUsage, err}
	}
	if err := folder.Ask(request); err != nil {
		return err
	}
	stop := newCalcStopper(cmd.Context(), cmd.ErrOrStderr())
	defer stop.close()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for busy && err == nil {
		select {
		case <-look.C:
			busy, err = folder.Busy()
		case <-stop.ctx.Done():
			return exitError{exitPartial, nil}
		}
	}
	if err != nil {
		return err
	}
	status, err := folder.Status(p)
	if err == nil {
		printBatchStatus(cmd.OutOrStdout(), p.Name, status, p.Batch.MaxInvalid)
	}
	return err
}

func newBatchLift() *cobra.Command {
	var flags reachFlags
	cmd := &cobra.Command{
		Use:   "lift DIR|URL NODE",
		Short: "end a node's quarantine: its workers take trials again",
		Long: `lift ends the quarantine of a node, two of whose attempts failed in a row. Its
workers wait for that, and go on at once. A folder without a coordinator keeps the
request for the next one.`,
		Example: `  loadgen batch lift night node3
  loadgen batch lift nats://node0:4222 node3 --token-file token`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := batch.Request{Do: batch.AskLift, Node: args[1]}
			if isURL(args[0]) {
				_, err := flags.ask(cmd.Context(), args[0], request)
				return err
			}
			folder := batch.NewFolder(args[0])
			err := folder.Isolated(args[1])
			if errors.Is(err, batch.ErrNotIsolated) {
				err = exitError{exitUsage, fmt.Errorf("%s: %w", args[0], err)}
			}
			if err != nil {
				return err
			}
			return folder.Ask(request)
		},
	}
	flags.add(cmd)
	return cmd
}
