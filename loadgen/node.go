package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"edgebench/loadgen/experiment"
)

// nodeFlags are what the command line says of a node that is kept.
type nodeFlags struct {
	listen  string
	policy  string
	workers int
	seed    uint64
	sets    []string
	out     string
	quiet   bool
	start   startFlag
}

func newNode() *cobra.Command {
	var flags nodeFlags
	cmd := &cobra.Command{
		Use:   "node PROFILE",
		Short: "keep a profile's bundled node on this machine for generators on others, and sample it",
		Long: `node starts the worker node that a profile describes, samples its memory and CPU,
keeps its events, and ends it when the schedule and its drain are over, or at
Ctrl-C, or when the input ends that it read its start from. It sends nothing: generators elsewhere do, with loadgen run --node. What
it writes is the target's part of the run; loadgen merge puts it together with
the generators' shares.`,
		Example: `  loadgen node bursty-ramp --listen 10.10.1.3:8080 --start-at 2026-12-01T03:00:00Z
  loadgen run bursty-ramp --node 10.10.1.3:8080 --share 1/2 --start-at 2026-12-01T03:00:00Z
  loadgen merge runs/*`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := policyFaults(cmd, flags.workers); err != nil {
				return err
			}
			if flags.start.text == "" {
				return exitError{exitUsage, errors.New("want --start-at, the start that the generators play from")}
			}
			p, err := loadProfile(args[0], append(policySets(cmd, flags.policy, flags.workers, flags.seed), flags.sets...))
			if err != nil {
				return err
			}
			return flags.keep(cmd, experiment.KeepConfig{
				Profile: p, Listen: flags.listen, Out: flags.out, Argv: redactedArgv(cmd.Context()), Version: version,
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.listen, "listen", "127.0.0.1:0", "HOST:PORT of the node, of the network the generators are on; port 0 for a free one")
	addPolicyFlags(f, &flags.policy, &flags.workers, &flags.seed)
	f.StringArrayVar(&flags.sets, "set", nil, "override a profile key (repeatable)")
	f.StringVar(&flags.out, "out", "runs", "folder for the run directory")
	f.BoolVar(&flags.quiet, "quiet", false, "no notices")
	flags.start.add(f)
	return cmd
}

func (n *nodeFlags) keep(cmd *cobra.Command, c experiment.KeepConfig) error {
	c.Notice = cmd.ErrOrStderr()
	if n.quiet {
		c.Notice = io.Discard
	}
	stop := stopperSaying(cmd.Context(), c.Notice, "ending the node, writing what there is", "")
	defer stop.close()
	ctx, end := context.WithCancel(stop.ctx)
	defer end()
	n.start.gone = end
	var (
		ready readyLine
		err   error
	)
	if c.Begin, err = n.start.begin(cmd, &ready, experiment.NotPast); err != nil {
		return unlessBegun(err)
	}
	c.Ready = func(addr string) {
		ready.Addr = addr
		fmt.Fprintf(c.Notice, "the node listens at %s\n", addr)
	}
	outcome, err := experiment.Keep(ctx, c)
	if err != nil {
		return unlessBegun(err)
	}
	fmt.Fprintln(cmd.OutOrStdout(), outcome.Dir)
	return verdictError(outcome)
}
