//go:build otlp

package otlp

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/loadgen/metrics"
)

// pusher opens one; what it says is for reading after Close.
func pusher(t *testing.T, address string, at pace) (run *metrics.Run, p *Pusher, said *[]string) {
	t.Helper()
	run, said = new(metrics.Run), new([]string)
	p, err := open(address, "v1", run, func(text string) { *said = append(*said, text) }, at)
	if err != nil {
		t.Fatal(err)
	}
	return run, p, said
}

// Each push has everything since the beginning, the last one what came last.
func TestPushesAreCumulative(t *testing.T) {
	t.Parallel()
	r := receive(t, takes)
	run, p, said := pusher(t, r.URL, pace{every: 10 * time.Second, farewell: time.Minute})
	state := metrics.State{Profile: "tiny", Mode: "ewma", Version: "v1", Sent: 3}
	run.Set(state)
	if err := p.push(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	first := <-r.pushes
	state.Sent = 8
	run.Set(state)
	p.Close()
	last := <-r.pushes
	const sent = "loadgen_requests_sent_total"
	if a, b := count(t, first, sent), count(t, last, sent); a != 3 || b != 8 {
		t.Errorf("sent %d, then %d; want 3, then 8", a, b)
	}
	a, b := named(t, first, sent).GetSum().DataPoints[0], named(t, last, sent).GetSum().DataPoints[0]
	if a.StartTimeUnixNano != b.StartTimeUnixNano || a.StartTimeUnixNano == 0 || a.TimeUnixNano >= b.TimeUnixNano {
		t.Errorf("counted from %d to %d, then from %d to %d", a.StartTimeUnixNano, a.TimeUnixNano, b.StartTimeUnixNano, b.TimeUnixNano)
	}
	want := map[string]string{"version": "v1", "profile": "tiny", "mode": "ewma"}
	if diff := cmp.Diff(want, attributes(named(t, last, "loadgen_info").GetGauge().DataPoints[0].Attributes)); diff != "" {
		t.Error(diff)
	}
	if len(*said) > 0 {
		t.Errorf("warnings %q", *said)
	}
}

// The loop pushes by itself; before the run begins there is nothing to tell.
func TestPushesByItself(t *testing.T) {
	t.Parallel()
	r := receive(t, takes)
	run, p, _ := pusher(t, r.URL, pace{every: 20 * time.Millisecond, farewell: time.Minute})
	run.Set(metrics.State{Profile: "tiny"})
	first := <-r.pushes
	if got := attributes(named(t, first, "loadgen_info").GetGauge().DataPoints[0].Attributes)["profile"]; got != "tiny" {
		t.Errorf("pushed before the run began: profile %q", got)
	}
	<-r.pushes
	p.Close()
}

// A run that never began has nothing to push, not even in the end.
func TestNothingBegun(t *testing.T) {
	t.Parallel()
	r := receive(t, takes)
	_, p, said := pusher(t, r.URL, pace{every: time.Hour, farewell: time.Minute})
	p.Close()
	if len(r.pushes) > 0 || len(*said) > 0 {
		t.Errorf("%d pushes, warnings %q", len(r.pushes), *said)
	}
}

// A collector that takes and never answers holds nothing up, and the loss is told.
func TestCollectorThatHangs(t *testing.T) {
	t.Parallel()
	release, arrived := make(chan struct{}), make(chan struct{}, 1000)
	r := receive(t, func(*http.Request) int { arrived <- struct{}{}; <-release; return http.StatusTeapot })
	defer close(release) // after Close, which did not wait for it
	run, p, said := pusher(t, r.URL, pace{every: time.Hour, farewell: 50 * time.Millisecond})
	run.Set(metrics.State{Profile: "tiny"})
	p.Close()
	if len(*said) != 1 || !strings.Contains((*said)[0], "the last push is lost: "+r.URL+"/v1/metrics did not take the metrics within 50ms (1 of 1 pushes failed)") {
		t.Errorf("warnings %q", *said)
	}
}

// What failed once is told once, and at the end what it came to.
func TestCollectorThatComesBack(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	r := receive(t, func(*http.Request) int {
		if n.Add(1) <= 2 {
			return http.StatusServiceUnavailable
		}
		return 0
	})
	run, p, said := pusher(t, r.URL, pace{every: 20 * time.Millisecond, farewell: time.Minute})
	run.Set(metrics.State{Profile: "tiny"})
	<-r.pushes
	p.Close()
	if len(*said) != 2 || !strings.Contains((*said)[0], "does not take the metrics") || !strings.Contains((*said)[1], "pushes failed; the last one, which has the final counts, arrived") {
		t.Errorf("warnings %q", *said)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ address, want, fault string }{
		{"http://collector:4318", "http://collector:4318/v1/metrics", ""},
		{"https://collector/", "https://collector/v1/metrics", ""},
		{"http://[::1]:4318/of/mine", "http://[::1]:4318/of/mine", ""},
		{"collector:4318", "", "not the address of a collector"},
		{"grpc://collector:4317", "", "4317 is not spoken"},
		{"http://:4318", "", "not the address of a collector"},
		{"http://me:secret@collector:4318", "", "OTEL_EXPORTER_OTLP_HEADERS takes them"},
		{"http://collector:4318/?token=x", "", "has a query"},
		{"http://a b/", "", "not an URL"},
	} {
		got, err := parse(c.address)
		if got != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %q, %v", c.address, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the message tells the password: %v", c.address, err)
		}
	}
}
