package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/transporttest"
	"edgebench/profiles/arrival"
)

// The whole is the same however it is split: every request of the schedule
// once, in its phase, for any number of shards.
func TestShardsSplitTheSchedule(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2, 3, 4, 5, 7} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			t.Parallel()
			server := transporttest.Serve(t, echo)
			var kept rows
			res := play(t, t.Context(), Config{
				Schedule: steps(t, 100*time.Millisecond, 1000, 0, 2000), Open: to(t, server.Address(), time.Minute),
				Shards: shards, Drain: time.Minute, Connections: 10 * shards, Sink: &kept,
			})
			if res.Total.OK() != 300 || res.Phases[0].OK() != 100 || res.Phases[1].Scheduled != 0 || res.Phases[2].OK() != 200 {
				t.Errorf("ok %d: %d, %d and %d by phase", res.Total.OK(), res.Phases[0].OK(), res.Phases[1].Scheduled, res.Phases[2].OK())
			}
			for i, index := range kept.indices() {
				if index != uint64(i) {
					t.Fatalf("row %d is of request %d", i, index)
				}
			}
			if len(kept.samples) != 300 || res.RowsLost != 0 || server.Requests() != 300 {
				t.Errorf("%d rows, %d lost, %d requests on the wire", len(kept.samples), res.RowsLost, server.Requests())
			}
			if res.Ended < res.Planned || res.Interrupted || res.Total.Lag.Min < 0 {
				t.Errorf("%+v", res)
			}
		})
	}
}

// The first request finds its connection open and the clock at its instant:
// what it costs to get ready is no part of the schedule.
func TestZeroIsAfterTheConnections(t *testing.T) {
	t.Parallel()
	var ts unix.Timespec
	server := transporttest.Serve(t, echo)
	var kept rows
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 10*time.Millisecond, 100), Open: to(t, server.Address(), time.Minute), Drain: time.Minute,
		Connections: 50, Sink: &kept,
	})
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		t.Fatal(err)
	}
	if res.Connections.Connects != 50 || res.Connections.Waited != 0 || res.Connections.ConnectTime.N != 50 {
		t.Errorf("%+v", res.Connections)
	}
	// Both clocks went on by the same amount since the zero instant. How well
	// they agree depends on when this thread was interrupted last.
	world, machine := time.Since(res.Zero), time.Duration(ts.Nano())-res.ZeroMonotonic
	if machine > world+time.Millisecond || machine < res.Ended-time.Millisecond {
		t.Errorf("%v since the start by one clock, %v by the other; the run took %v", world, machine, res.Ended)
	}
}

func TestInFlightIsBounded(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, silent)
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 100*time.Millisecond, 500), Open: to(t, server.Address(), time.Minute), MaxInFlight: 3, Connections: 3,
	})
	if res.Total.OpenAtEnd() != 3 || res.Total.Drops[rundir.DropMaxInFlight] != 47 || res.Total.Scheduled != 50 {
		t.Errorf("open %d, dropped %v", res.Total.OpenAtEnd(), res.Total.DroppedByReason())
	}
}

// Every request counts for its function, and in its phase too.
func TestResultsByFunction(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, echo)
	schedule, err := steps(t, 100*time.Millisecond, 1000, 2000).Among([]arrival.Function{{Name: "often", Share: 3}, {Name: "seldom", Share: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var want [2]uint64
	for stream := schedule.Stream(); ; {
		a, more := stream.Next()
		if !more {
			break
		}
		want[a.Function]++
	}
	var kept rows
	res := play(t, t.Context(), Config{
		Schedule: schedule, Open: to(t, server.Address(), time.Minute), Shards: 2, Drain: time.Minute, Connections: 20, Sink: &kept,
	})
	var rows [2]uint64
	for _, s := range kept.samples {
		rows[s.Function]++
	}
	for i, tally := range res.Functions {
		if tally.OK() != want[i] || rows[i] != want[i] {
			t.Errorf("function %d: ok %d, %d rows, the schedule has %d", i, tally.OK(), rows[i], want[i])
		}
	}
	if len(res.Functions) != 2 || res.Total.OK() != 300 {
		t.Errorf("%d functions, ok %d", len(res.Functions), res.Total.OK())
	}
}

// C26: one request takes longer than the run and its drain timeout.
func TestOpenAtEnd(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, func(c *transporttest.Conn) {
		if c.Number == 1 {
			silent(c)
			return
		}
		echo(c)
	})
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 100*time.Millisecond, 100), Open: to(t, server.Address(), time.Minute), Drain: 100 * time.Millisecond,
	})
	if res.Total.OpenAtEnd() != 1 || res.Total.OK() != 9 || res.Total.Errors() != 0 {
		t.Errorf("open %d, ok %d, errors %v", res.Total.OpenAtEnd(), res.Total.OK(), res.Total.ErrorsByClass())
	}
	if res.Ended < res.Planned+100*time.Millisecond {
		t.Errorf("ended at %v, before the drain timeout", res.Ended)
	}
}

// A stop ends the sending and waits for what is in flight.
func TestStop(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	release := make(chan bool)
	server := transporttest.Serve(t, func(c *transporttest.Conn) {
		for {
			number, ok := c.Numbered()
			if !ok {
				return
			}
			if number == 20 {
				stop()
				close(release)
			}
			<-release
			c.Send(okResponse)
		}
	})
	res := play(t, ctx, Config{
		Schedule: steps(t, time.Hour, 1000), Open: to(t, server.Address(), time.Minute), Shards: 2, Drain: time.Minute,
	})
	if !res.Interrupted || res.Aborted || res.Ended >= res.Planned {
		t.Errorf("interrupted %v, aborted %v, ended at %v", res.Interrupted, res.Aborted, res.Ended)
	}
	total := res.Total
	if total.OK() < 20 || total.OpenAtEnd() != 0 || total.Scheduled != total.OK()+total.Drops[rundir.DropStopped] {
		t.Errorf("scheduled %d, ok %d, errors %v, dropped %v", total.Scheduled, total.OK(), total.ErrorsByClass(), total.DroppedByReason())
	}
}

// An abort waits for nothing.
func TestAbort(t *testing.T) {
	t.Parallel()
	abort := make(chan struct{})
	server := transporttest.Serve(t, func(c *transporttest.Conn) {
		for {
			number, ok := c.Numbered()
			if !ok {
				return
			}
			if number == 20 {
				close(abort)
			}
		}
	})
	res := play(t, t.Context(), Config{
		Schedule: steps(t, time.Hour, 1000), Open: to(t, server.Address(), time.Hour), Shards: 2, Drain: time.Hour, Abort: abort,
	})
	if !res.Interrupted || !res.Aborted || res.Total.OpenAtEnd() < 20 || res.Total.OK() != 0 {
		t.Errorf("%+v", res)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, echo)
	open := to(t, server.Address(), time.Minute)
	// The second of three shards finds nobody; the others must not begin.
	calls := make(chan bool, 3)
	broken := func(ctx context.Context, o transport.Options) (transport.Transport, error) {
		calls <- true
		if len(calls) == 2 {
			return nil, fmt.Errorf("%w: on purpose", transport.ErrUnreachable)
		}
		return open(ctx, o)
	}
	r, err := New(Config{Schedule: steps(t, time.Hour, 1000), Open: broken, Shards: 3})
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(t.Context())
	if !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
	if res.Total.Scheduled != 0 || server.Requests() != 0 {
		t.Errorf("%d scheduled, %d on the wire", res.Total.Scheduled, server.Requests())
	}
}

// The target dies in the middle: the run goes on and names what it meets.
func TestTargetDies(t *testing.T) {
	t.Parallel()
	var server *transporttest.Server
	started := make(chan bool)
	server = transporttest.Serve(t, func(c *transporttest.Conn) {
		<-started
		for c.Request() {
			if server.Requests() > 50 {
				server.Stop()
				return
			}
			c.Send(okResponse)
		}
	})
	close(started)
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 200*time.Millisecond, 1000), Open: to(t, server.Address(), time.Minute), Drain: time.Minute,
	})
	if res.Total.Scheduled != 200 || res.Total.OK() < 40 || res.Total.Outcomes[rundir.ErrRefused] == 0 || res.Total.OpenAtEnd() != 0 {
		t.Errorf("ok %d, errors %v, dropped %v", res.Total.OK(), res.Total.ErrorsByClass(), res.Total.DroppedByReason())
	}
}

func TestSinkErrorEndsTheRun(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, echo)
	full := errors.New("no space left on device")
	r, err := New(Config{
		Schedule: steps(t, time.Hour, 2000), Open: to(t, server.Address(), time.Minute), Drain: time.Minute, Sink: &rows{err: full},
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(t.Context())
	if !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if res.Total.Scheduled == 0 || res.RowsLost != res.Total.Scheduled || !res.Interrupted {
		t.Errorf("%d scheduled, %d rows lost", res.Total.Scheduled, res.RowsLost)
	}
}

func TestIntervalsAddUp(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, echo)
	var seconds []rundir.Interval
	c := Config{
		Schedule: steps(t, 1100*time.Millisecond, 200, 100), Open: to(t, server.Address(), time.Minute), Drain: time.Minute,
		Shards: 2, Interval: func(i rundir.Interval) { seconds = append(seconds, i) },
	}
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Progress(); p.Phase != -1 || p.At != 0 || p.Planned != 2200*time.Millisecond {
		t.Errorf("before the run: %+v", p)
	}
	res, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var sum rundir.Interval
	for i, s := range seconds {
		if s.Second != int64(i) {
			t.Errorf("second %d comes as number %d", s.Second, i)
		}
		sum.Scheduled += s.Scheduled
		sum.Sent += s.Sent
		sum.OK += s.OK
	}
	p := r.Progress()
	if sum.Scheduled != 330 || sum.Sent != 330 || sum.OK != 330 || p.Scheduled != 330 || p.OK != 330 || p.InFlight != 0 {
		t.Errorf("intervals add up to %+v, progress %+v", sum, p)
	}
	if len(seconds) < 3 || p.Phase != 1 || p.ResponseP99 == 0 || int64(p.ResponseP99) > res.Total.Response.Max {
		t.Errorf("%d seconds, %+v", len(seconds), p)
	}
}

func TestConfigFaultsComeTogether(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Shards: -1, MaxInFlight: 2, Connections: 5, Drain: -time.Second})
	for _, want := range []string{"no schedule", "no transport", "shards -1", "connections 5", "drain timeout -1s"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

// Generators split a schedule as shards do: together every request once, for
// any number of shards in each, and each keeps its bound of what is in flight.
func TestGeneratorsSplitTheSchedule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ generators, shards int }{{2, 2}, {3, 1}, {2, 3}} {
		t.Run(fmt.Sprintf("%d of %d shards", c.generators, c.shards), func(t *testing.T) {
			t.Parallel()
			server := transporttest.Serve(t, echo)
			var all rows
			for i := 1; i <= c.generators; i++ {
				share := arrival.Share{Index: i, Of: c.generators}
				var kept rows
				res := play(t, t.Context(), Config{
					Schedule: steps(t, 100*time.Millisecond, 1000, 2000), Open: to(t, server.Address(), time.Minute), Share: share,
					Shards: c.shards, Drain: time.Minute, Connections: 10 * c.shards, Sink: &kept,
				})
				if want := share.Before(300); res.Total.OK() != want || res.Phases[0].OK() != share.Before(100) {
					t.Errorf("share %v: ok %d of %d", share, res.Total.OK(), want)
				}
				all.samples = append(all.samples, kept.samples...)
			}
			for i, index := range all.indices() {
				if index != uint64(i) {
					t.Fatalf("row %d is of request %d", i, index)
				}
			}
			if len(all.samples) != 300 || server.Requests() != 300 {
				t.Errorf("%d rows, %d requests on the wire", len(all.samples), server.Requests())
			}
		})
	}
}

// A start that was agreed on stays the start: one that has passed is told as
// lateness and in the lag of what was due since.
func TestAgreedStart(t *testing.T) {
	t.Parallel()
	const past = 50 * time.Millisecond
	server := transporttest.Serve(t, echo)
	var kept rows
	var zero time.Time
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 100*time.Millisecond, 100), Open: to(t, server.Address(), time.Minute), Drain: time.Minute, Sink: &kept,
		Begin: func(context.Context) (time.Time, error) { zero = time.Now().Add(-past); return zero, nil },
	})
	if !res.Zero.Equal(zero) || res.Late < past || res.Total.OK() != 10 {
		t.Errorf("zero %v of %v, %v late, ok %d", res.Zero, zero, res.Late, res.Total.OK())
	}
	for _, s := range kept.samples {
		if lag := s.Sent - s.Scheduled; s.Index == 0 && lag < int64(past) {
			t.Errorf("the first request has a lag of %v", time.Duration(lag))
		}
	}
}

func TestNoStart(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, echo)
	r, err := New(Config{
		Schedule: steps(t, 100*time.Millisecond, 100), Open: to(t, server.Address(), time.Minute),
		Begin: func(context.Context) (time.Time, error) { return time.Time{}, context.Canceled },
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(t.Context())
	if !errors.Is(err, ErrNotBegun) || !errors.Is(err, context.Canceled) || res.Total.Scheduled != 0 || server.Requests() != 0 {
		t.Errorf("%v, %d scheduled, %d on the wire", err, res.Total.Scheduled, server.Requests())
	}
}
