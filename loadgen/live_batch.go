package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"edgebench/loadgen/batch"
	"edgebench/loadgen/live"
)

// mostTrials is how many rows a page gets; the counts are of all.
const mostTrials = 2000

// lookEvery is how often a batch's folder is looked at.
const lookEvery = time.Second

// followBatch tells a feed how a batch goes, from what its folder says, until ctx
// ends or every trial is over.
func followBatch(ctx context.Context, f *live.Feed, folder batch.Folder, p *batch.Plan) {
	table := batch.NewTable(folder, p)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for over := false; ; {
		rows, status, err := table.Look()
		if err != nil {
			f.End("", err.Error())
			return
		}
		f.Batch(pageOf(p, rows, status))
		if status.Done+status.Failed == status.Trials {
			f.End(batchVerdict(p, status), "every trial is over")
			return
		}
		if over {
			f.End("incomplete", "what is finished is kept in "+folder.Path())
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			over = true // after a last look
		}
	}
}

func batchVerdict(p *batch.Plan, s batch.Status) string {
	switch {
	case !s.Complete():
		return "incomplete"
	case !s.Sound(p.Batch.MaxInvalid):
		return "invalid"
	}
	return "valid"
}

func pageOf(p *batch.Plan, rows []batch.Row, s batch.Status) *live.Batch {
	b := &live.Batch{
		Name: p.Name, Done: s.Done, Invalid: s.Invalid, Failed: s.Failed, Running: s.Claimed, ToDo: s.Planned,
		Left: s.Left.Seconds(), Trials: []live.Trial{}, Unshown: max(0, len(rows)-mostTrials),
	}
	for _, r := range rows[:min(len(rows), mostTrials)] {
		b.Trials = append(b.Trials, live.Trial{
			ID: r.ID, Number: r.Number, Profile: r.Name, Mode: r.Mode, State: string(r.State), Verdict: r.Verdict,
			Attempt: r.Attempt, Length: r.Length.Seconds(),
		})
	}
	return b
}

// showOf is a batch's show, told to the feed by followBatch.
func showOf(name string, f *live.Feed, folder batch.Folder, p *batch.Plan) live.Show {
	return live.Show{Name: name, Label: "batch " + p.Name, Feed: f, Part: func(id string) (*live.Feed, error) { return trialFeed(folder, p, id) }}
}

// trialFeed is a finished trial, told to its end.
func trialFeed(folder batch.Folder, p *batch.Plan, id string) (*live.Feed, error) {
	if !slices.ContainsFunc(p.Trials, func(t batch.Trial) bool { return t.ID == id }) { // it comes from an address, and becomes a path
		return nil, fmt.Errorf("trial %q: not of batch %s", id, p.Name)
	}
	result, err := folder.Results().Read(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("trial %s: has no result yet", id)
	}
	if err != nil {
		return nil, err
	}
	replay, err := live.OpenReplay(folder.Results().Run(id))
	if err != nil {
		return nil, err
	}
	feed := live.NewFeed()
	replay.Play(context.Background(), feed, 0, result.Verdict) // all at once
	return feed, nil
}

// showBatch serves a page over a batch in progress; close ends it. stops says what
// its stop button does.
func showBatch(address string, stop *stopper, stops string, out io.Writer, folder batch.Folder, p *batch.Plan) (closePage func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	feed := live.NewFeed()
	server := &live.Server{
		Shows: []live.Show{showOf("1", feed, folder, p)},
		Stop:  func() { stop.ask("stopped from the live page") }, Stops: stops,
	}
	if err := startServer(server, "live", address, out); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() { followBatch(ctx, feed, folder, p) })
	return func() {
		cancel()
		following.Wait()
		server.Close()
	}, nil
}
