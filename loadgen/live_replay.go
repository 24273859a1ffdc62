package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"edgebench/analysis"
	"edgebench/loadgen/batch"
	"edgebench/loadgen/live"
)

func newLive() *cobra.Command {
	var (
		listen string
		speed  float64
	)
	cmd := &cobra.Command{
		Use:   "live DIR...",
		Short: "look at finished runs as if they went on, or at a batch while it does",
		Long: `live serves the page of "run --live" for runs that are over: each is told again, at a
chosen speed, when a browser first looks at it. Simulated runs say so. For the folder
of a batch it shows its trials and when it will end, whether the batch goes on now
or not; nothing in the folder is changed. It ends with Ctrl-C.`,
		Example: `  loadgen live runs/20261130T122703Z-bursty-ramp-ewma-e632dd
  loadgen live runs/* --speed 0                    all at once
  loadgen live night                               a batch folder`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(speed >= 0 && speed <= 1e6) {
				return exitError{exitUsage, fmt.Errorf("--speed %g: want 0 (all at once) to 1,000,000 times the run's own", speed)}
			}
			return showFinished(cmd, args, listen, speed)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", ":0", "HOST:PORT of the page; :0 is a free port of 127.0.0.1")
	cmd.Flags().Float64Var(&speed, "speed", 10, "how many times as fast as it was; 0 for all at once")
	return cmd
}

// A show is one thing to look at, without its name, and what tells it.
type show struct {
	live.Show
	play func(context.Context, *live.Feed)
}

func showFinished(cmd *cobra.Command, dirs []string, listen string, speed float64) error {
	var (
		server live.Server
		shows  []show
		faults []error
	)
	for i, dir := range dirs {
		s, err := openShow(dir, speed)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		s.Name = strconv.Itoa(i + 1)
		shows = append(shows, s)
		server.Shows = append(server.Shows, s.Show)
	}
	if len(faults) > 0 {
		return exitError{exitUsage, errors.Join(faults...)}
	}
	stop := stopperSaying(cmd.Context(), cmd.ErrOrStderr(), "the page is closed", "")
	defer stop.close()
	if err := startServer(&server, "listen", listen, cmd.ErrOrStderr()); err != nil {
		return err
	}
	var telling sync.WaitGroup
	for _, s := range shows {
		telling.Go(func() {
			select {
			case <-s.Feed.Watched():
				s.play(stop.ctx, s.Feed)
			case <-stop.ctx.Done():
			}
		})
	}
	<-stop.ctx.Done()
	telling.Wait()
	server.Close()
	return nil
}

// openShow is a batch folder or a run directory.
func openShow(dir string, speed float64) (show, error) {
	folder := batch.NewFolder(dir)
	p, err := folder.Load()
	if err == nil {
		return show{showOf("", live.NewFeed(), folder, p), func(ctx context.Context, f *live.Feed) { followBatch(ctx, f, folder, p) }}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return show{}, err
	}
	replay, err := live.OpenReplay(dir)
	if err != nil {
		return show{}, fmt.Errorf("%w, nor a batch folder", err)
	}
	summary, err := analysis.Summarize(dir)
	if err != nil {
		return show{}, err
	}
	return show{live.Show{Label: replay.Label(), Feed: live.NewFeed()}, func(ctx context.Context, f *live.Feed) { replay.Play(ctx, f, speed, string(summary.Verdict)) }}, nil
}
