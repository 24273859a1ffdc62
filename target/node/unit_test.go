package node

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

func TestEventRing(t *testing.T) {
	t.Parallel()
	var e events
	if lines, last, lost := e.since(0); len(lines) != 0 || last != 0 || lost != 0 {
		t.Errorf("empty: %q %d %d", lines, last, lost)
	}
	for range ringSize + 10 {
		e.add("error", func(o *object) { o.text("reason", "x") })
	}
	for _, c := range []struct{ after, lines, lost uint64 }{
		{0, ringSize, 10}, {9, ringSize, 1}, {10, ringSize, 0}, {ringSize + 9, 1, 0}, {ringSize + 10, 0, 0}, {math.MaxUint64, 0, 0},
	} {
		lines, last, lost := e.since(c.after)
		if n := uint64(bytes.Count(lines, []byte("\n"))); n != c.lines || lost != c.lost || last != ringSize+10 {
			t.Errorf("after %d: %d lines, %d lost, last %d; want %d, %d, %d", c.after, n, lost, last, c.lines, c.lost, ringSize+10)
		}
	}
	lines, _, _ := e.since(ringSize + 9)
	var got struct {
		Seq    uint64
		UnixNS int64 `json:"unix_ns"`
		Event  string
		Reason string
	}
	if err := json.Unmarshal(lines, &got); err != nil || got.Seq != ringSize+10 || got.Event != "error" || got.Reason != "x" || got.UnixNS == 0 {
		t.Errorf("%q: %+v, %v", lines, got, err)
	}
}

// Whatever text comes in, the object is JSON and reads back the same.
func FuzzObject(f *testing.F) {
	f.Add("plain", 1.5)
	f.Add("\"\\\n\x00\x7f\u2028é\xff", math.NaN())
	f.Fuzz(func(t *testing.T, text string, x float64) {
		var o object
		o.open()
		o.text("text", text)
		o.number("x", x)
		o.nest("empty")
		o.close()
		o.list("none")
		o.endList()
		o.close()
		var got struct {
			Text string
			X    *float64
		}
		if err := json.Unmarshal(o.done(), &got); err != nil {
			t.Fatalf("%q: %v", o.buf, err)
		}
		if want := strings.ToValidUTF8(text, "\uFFFD"); strings.ToValidUTF8(got.Text, "\uFFFD") != got.Text || len([]rune(got.Text)) < len([]rune(want)) {
			t.Errorf("%q became %q", text, got.Text)
		}
		if finite := !math.IsNaN(x) && !math.IsInf(x, 0); (got.X != nil) != finite || finite && *got.X != x {
			t.Errorf("%v became %v", x, got.X)
		}
	})
}

func TestValidateReportsEveryFault(t *testing.T) {
	t.Parallel()
	if err := Default().Validate(); err != nil {
		t.Fatal(err)
	}
	cfg := Default()
	cfg.Policy, cfg.Dispatch, cfg.Runtime, cfg.ServiceLaw = "a", "b", "c", "d"
	cfg.Heap, cfg.Dirty, cfg.HungAfter, cfg.DrainTimeout, cfg.Workers = 1, -1, 0, 0, 65
	cfg.Pool.Tick = 0
	err := cfg.Validate()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`policy "a"`, `dispatch "b"`, `runtime "c"`, `service law "d"`, "heap of 1 bytes", "dirty -1",
		"hung after 0s", "drain timeout 0s", "workers 65: above max workers 64", "tick 0s",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
}

func TestExponentialLaw(t *testing.T) {
	t.Parallel()
	draw, err := newLaw("exponential", 100*time.Millisecond, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := newLaw("exponential", 100*time.Millisecond, 1)
	var sum time.Duration
	const n = 20000
	for range n {
		d := draw()
		if d != again() {
			t.Fatal("the same seed draws otherwise")
		}
		sum += d
	}
	if mean := sum / n; mean < 97*time.Millisecond || mean > 103*time.Millisecond { // 4 standard errors
		t.Errorf("mean %v, want 100ms", mean)
	}
}
