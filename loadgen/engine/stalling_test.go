package engine

import (
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
)

// A stall is when a server answered nothing: both ends lie inside of it.
type stall struct{ begin, end time.Time }

// stop stops a process for about a while and tells for how long.
func stop(t *testing.T, p *os.Process, length time.Duration) stall {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Error(err)
	}
	if err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WSTOPPED, nil); err != nil {
		t.Error(err)
	}
	begin := time.Now()
	time.Sleep(length) // the stall itself, not a way to wait for something
	end := time.Now()
	if err := p.Signal(syscall.SIGCONT); err != nil {
		t.Error(err)
	}
	return stall{begin, end}
}

// Two stalls of a server that otherwise answers at once: of the requests
// planned during one, evenly spaced, that planned at x waits until its end at E
// and has a response time of E − x; the others have next to none. Sorting them
// gives the quantiles, for stalls of 1 s in 12 s 400 ms (p90), 940 (p99) and 994
// (p99.9), and no closed loop would see them: it sends next to nothing meanwhile.
func TestStallsAreMeasuredInFull(t *testing.T) {
	t.Parallel()
	const rate = 1000
	length := time.Second
	if testing.Short() {
		length = 250 * time.Millisecond // and the quantiles a quarter
	}
	address, server := process(t)
	zero := make(chan time.Time, 1)
	past := make(chan stall, 2)
	go func() {
		defer close(past)
		start := <-zero
		for _, at := range []time.Duration{2 * length, 7 * length} {
			time.Sleep(time.Until(start.Add(at)))
			past <- stop(t, server, length)
		}
	}()
	var kept rows
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 12*length, rate), Open: to(t, address, time.Minute), Drain: time.Minute,
		Connections: int(1.5 * rate * length.Seconds()), Sink: &kept,
		Started: func(at time.Time) { zero <- at },
	})
	planned := 12 * rate * int(length) / int(time.Second)
	if res.Total.OK() != uint64(planned) || res.Total.Scheduled != uint64(planned) {
		t.Fatalf("ok %d of %d scheduled, %d planned; errors %v, dropped %v", res.Total.OK(), res.Total.Scheduled, planned,
			res.Total.ErrorsByClass(), res.Total.DroppedByReason())
	}
	slices.SortFunc(kept.samples, func(a, b rundir.Sample) int { return int(a.Index) - int(b.Index) })
	want := make([]int64, planned) // response times by the closed form
	quiet := true                  // but for the stalls, all was answered within a hundredth of one
	for s := range past {
		begin, end := int64(s.begin.Sub(res.Zero)), int64(s.end.Sub(res.Zero))
		for i, sample := range kept.samples {
			if sample.Scheduled < begin || sample.Scheduled > end {
				continue
			}
			want[i] = end - sample.Scheduled
			if sample.Done < end {
				t.Fatalf("request %d, planned %v into a stall of %v, is done %v before its end", i,
					time.Duration(sample.Scheduled-begin), time.Duration(end-begin), time.Duration(end-sample.Done))
			}
		}
	}
	for i, sample := range kept.samples {
		quiet = quiet && sample.Done-sample.Scheduled-want[i] < int64(length/100)
	}
	slices.Sort(want)
	for _, q := range []float64{0.9, 0.99, 0.999} {
		want := float64(want[int(q*float64(planned)+0.5)-1])
		got := float64(res.Total.Response.Quantile(q))
		t.Logf("p%g: %.1f ms, closed form %.1f ms, quiet %v", 100*q, got/1e6, want/1e6, quiet)
		// Other load on the machine is a stall too, and adds to these; nothing
		// takes away from them.
		if got < 0.97*want || quiet && got > 1.03*want {
			t.Errorf("p%g: %.1f ms, the closed form gives %.1f ms", 100*q, got/1e6, want/1e6)
		}
	}
}
