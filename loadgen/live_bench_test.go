package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// BenchmarkLive tells what the live page costs the engine: lag at 2,000/s without
// a page, and with one that four readers watch, in rounds that take turns, so that
// what else the machine does falls on both. One iteration is a round of two runs
// of 2 s; -benchtime 10x are ten rounds. The figures are medians over the rounds,
// and of the differences within a round.
func BenchmarkLive(b *testing.B) {
	node := pingNode(b)
	var without, with, more struct{ p50, p99 []float64 }
	for i := 0; b.Loop(); i++ {
		a, c := lagOf(b, node, i%2 == 1)
		d, e := lagOf(b, node, i%2 == 0)
		if i%2 == 1 {
			a, c, d, e = d, e, a, c
		}
		without.p50, without.p99 = append(without.p50, a), append(without.p99, c)
		with.p50, with.p99 = append(with.p50, d), append(with.p99, e)
		more.p50, more.p99 = append(more.p50, d-a), append(more.p99, e-c)
	}
	b.ReportMetric(0, "ns/op") // a run takes as long as its schedule
	b.ReportMetric(median(without.p50), "µs-p50-without")
	b.ReportMetric(median(with.p50), "µs-p50-with")
	b.ReportMetric(median(more.p50), "µs-p50-more")
	b.ReportMetric(median(without.p99), "µs-p99-without")
	b.ReportMetric(median(with.p99), "µs-p99-with")
	b.ReportMetric(median(more.p99), "µs-p99-more")
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// pingNode is the address of a node that lasts as long as the benchmark.
func pingNode(b *testing.B) string {
	b.Helper()
	c := exec.Command(filepath.Join(bin, "target"), "--listen", "127.0.0.1:0", "--policy", "static", "--workers", "1")
	said := new(sharedBuffer)
	c.Stdout, c.Stderr = said, io.Discard
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	var address string
	eventually(b, "the node is ready", func() bool {
		_, rest, _ := strings.Cut(said.String(), `"addr":"`)
		at, _, whole := strings.Cut(rest, `"`)
		address = at
		return whole
	})
	return address
}

// lagOf is p50 and p99 of the lag of a run, in µs.
func lagOf(b *testing.B, node string, watched bool) (p50, p99 float64) {
	b.Helper()
	args := []string{"run", "--url", "http://" + node + "/ping", "--rate", "2000/s", "--duration", "2s", "--json", "--no-preflight"}
	if watched {
		args = append(args, "--live", ":0")
	}
	c := loadgen(b, "", args...)
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	if watched {
		page := pageOn(b, c)
		for range 4 {
			go read(page)
		}
	}
	c.wantCode(b, c.code(b, c.Wait()), exitOK, exitInvalid)
	lag := c.summary(b).Lag
	if lag.P50NS == nil || lag.P99NS == nil {
		b.Fatal("nothing was sent")
	}
	return float64(*lag.P50NS) / 1e3, float64(*lag.P99NS) / 1e3
}

// read watches a page to its end, as a browser does.
func read(page *url.URL) {
	resp, err := http.Get(fmt.Sprintf("http://%s/stream", page.Host))
	if err != nil {
		return // the run is over
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
}
