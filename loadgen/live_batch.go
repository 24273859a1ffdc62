package main

import (
	"context"
	"io"
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

// showBatch serves a page over a batch in progress; close ends it.
func showBatch(address string, stop *stopper, out io.Writer, folder batch.Folder, p *batch.Plan) (closePage func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	feed := live.NewFeed()
	server := &live.Server{Shows: []live.Show{{Feed: feed}}, Stop: func() { stop.ask("stopped from the live page") }}
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
