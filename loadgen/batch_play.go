package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/batch"
)

// An interruption is what signals bring, in words.
type interruption struct {
	first, second string
	page          string // what the first is, for who asks for it on the live page
}

// A session is what a batch in progress has of its command.
type session struct {
	deadline time.Time
	notice   io.Writer
	progress func(batch.Status)
	abort    <-chan struct{} // closed at the second signal
}

// play makes a batch, tells how it goes, and how it went.
func (b *batchFlags) play(cmd *cobra.Command, folder batch.Folder, p *batch.Plan, words interruption, run func(context.Context, session) (batch.Status, error)) error {
	deadline, err := b.until(p, time.Now())
	if err != nil {
		return err
	}
	if err := b.guard.admitBatch(cmd, p); err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	notice := stderr
	if b.quiet {
		notice = io.Discard
	}
	stop := stopperSaying(cmd.Context(), notice, words.first, words.second)
	defer stop.close()
	closePage, err := showBatch(b.live, stop, words.page, stderr, folder, p)
	if err != nil {
		return err
	}
	defer closePage()
	line := newProgressLine(stderr, b.quiet)
	status, err := run(stop.ctx, session{
		deadline: deadline, notice: line.around(notice), abort: stop.abort,
		progress: func(s batch.Status) { line.show(batchLine(s, time.Now())) },
	})
	line.clear()
	if room := folder.Room(b.minFree << 20); err != nil && room != nil {
		// Whatever it was that could not be written, this is why.
		return exitError{exitIncomplete, fmt.Errorf("%w (%w): make room, then resume", room, err)}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	if b.asJSON {
		if err := writeJSON(cmd.OutOrStdout(), status); err != nil {
			return err
		}
	} else {
		status.Phase, status.Workers = "", nil // it is over, or left
		printBatchStatus(cmd.OutOrStdout(), p.Name, status, p.Batch.MaxInvalid)
	}
	if !status.Sound(p.Batch.MaxInvalid) {
		return exitError{exitIncomplete, nil}
	}
	return nil
}
