package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"edgebench/loadgen/batch"
	"edgebench/loadgen/experiment"
)

// Above these a run towards another machine is confirmed: what is meant for a
// lab may reach a stranger, or somebody's bill, by one wrong name.
const (
	confirmRate     = 100    // requests/s, at the peak
	confirmRequests = 10_000 // in all
)

// guardFlags bound what is sent and to whom.
type guardFlags struct {
	most uint64
	yes  bool
}

func (g *guardFlags) add(f *pflag.FlagSet) {
	f.Uint64Var(&g.most, "max-requests", 0, "refuse a plan of more requests than this (0: no limit)")
	f.BoolVar(&g.yes, "yes", false, fmt.Sprintf("do not ask before more than %d requests/s, or %d in all, go to another machine", confirmRate, confirmRequests))
}

// admit decides about a run before anything is sent. ctx ends the question.
func (g *guardFlags) admit(ctx context.Context, cmd *cobra.Command, i experiment.Intent) error {
	if g.most > 0 && i.Planned > g.most {
		return exitError{exitUsage, fmt.Errorf("the plan is %d requests, %d more than --max-requests %d: nothing was sent", i.Planned, i.Planned-g.most, g.most)}
	}
	if g.yes || i.Local || i.Peak <= confirmRate && i.Planned <= confirmRequests {
		return nil
	}
	what := fmt.Sprintf("%d requests, up to %.4g/s, to %s", i.Planned, i.Peak, i.Target)
	if !isTerminal(cmd.InOrStdin()) || !isTerminal(cmd.ErrOrStderr()) {
		return exitError{exitUsage, fmt.Errorf("%s, which is another machine: say --yes if that is meant (above %d/s or %d requests; nothing was sent)", what, confirmRate, confirmRequests)}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "About to send %s. Go on? [y/N] ", what)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
	}
	return exitError{exitUsage, errors.New("not confirmed: nothing was sent")}
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// admitBatch asks once for all trials of a batch; the limit on requests is one
// for all of them together.
func (g *guardFlags) admitBatch(cmd *cobra.Command, p *batch.Plan) error {
	planned := make(map[string]uint64, len(p.Profiles)) // of a trial, by profile
	all := experiment.Intent{Local: true}
	for hash, profile := range p.Profiles {
		s, err := profile.Schedule()
		if err != nil {
			return err
		}
		i := experiment.IntentOf(cmd.Context(), profile, uint64(s.Expected()+0.5), experiment.ConnectionsFor(profile, s).Peak)
		if planned[hash] = i.Planned; !i.Local {
			all.Local, all.Target, all.Peak = false, i.Target, max(all.Peak, i.Peak)
		}
	}
	for _, t := range p.Trials {
		all.Planned += planned[t.Profile]
	}
	return g.admit(cmd.Context(), cmd, all)
}
