package metrics

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"edgebench/analysis/rundir"
)

// scrape asks as a Prometheus without native histograms does.
func scrape(t *testing.T, r *Run) string {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("content type %q", kind)
	}
	return w.Body.String()
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

// What was not measured is left out, never told as 0; counts and histograms are
// there from the first scrape, so that rates have a beginning.
func TestBeforeTheRun(t *testing.T) {
	t.Parallel()
	text := scrape(t, new(Run))
	wantLines(t, text, "loadgen_requests_sent_total 0", "loadgen_response_seconds_count 0", "loadgen_lag_seconds_sum 0")
	for _, sampled := range []string{"loadgen_node_", "process_"} {
		if strings.Contains(text, sampled) {
			t.Errorf("%s… is told though nothing was sampled:\n%s", sampled, text)
		}
	}
}

func TestEveryNumberStandsUnderItsName(t *testing.T) {
	t.Parallel()
	known := func(v float64) rundir.Number { return rundir.Number{Value: v, Known: true} }
	var response, lag rundir.Distribution
	for _, ns := range []int64{20e6, 300e6, 700e6} {
		response.Add(ns)
	}
	lag.Add(40e3)
	var r Run
	r.Set(State{
		Profile: "a\"b\n", Mode: "ewma", Version: "v1", At: 12, Duration: 309, Phase: 2, Cycle: 3, InFlight: 4,
		Scheduled: 11, Sent: 10, OK: 3, Errors: 2, Dropped: 1, Cold: 5,
		Sample: rundir.MonitorRow{
			PSSBytes: known(6e6), RSSBytes: known(7e6), Workers: known(8), CPUSeconds: known(9.5),
			GeneratorCPUSeconds: known(1.25), GeneratorRSSBytes: known(2e6), GeneratorOpenFiles: known(36),
		},
		Distributions: func(f func(response, lag *rundir.Distribution)) { f(&response, &lag) },
	})
	wantLines(t, scrape(t, &r),
		`loadgen_info{version="v1",profile="a\"b\n",mode="ewma"} 1`,
		"loadgen_schedule_position_seconds 12", "loadgen_schedule_length_seconds 309", "loadgen_phase_index 2", "loadgen_cycle 3",
		"loadgen_requests_scheduled_total 11", "loadgen_requests_sent_total 10", "loadgen_requests_ok_total 3", "loadgen_requests_errors_total 2",
		"loadgen_requests_dropped_total 1", "loadgen_requests_cold_total 5", "loadgen_requests_in_flight 4",
		`loadgen_response_seconds_bucket{le="0.25"} 1`, `loadgen_response_seconds_bucket{le="0.5"} 2`, `loadgen_response_seconds_bucket{le="+Inf"} 3`,
		"loadgen_response_seconds_count 3", "loadgen_response_seconds_sum 1.02", "loadgen_lag_seconds_count 1", "loadgen_lag_seconds_sum 4e-05",
		"loadgen_node_pss_bytes 6e+06", "loadgen_node_rss_bytes 7e+06", "loadgen_node_workers 8", "loadgen_node_cpu_seconds_total 9.5",
		"process_cpu_seconds_total 1.25", "process_resident_memory_bytes 2e+06", "process_open_fds 36",
	)
}

// A target of somebody else has no processes to sample: this process has.
func TestOfAnEndpointOnlyTheGeneratorIsSampled(t *testing.T) {
	t.Parallel()
	var r Run
	r.Set(State{Sample: rundir.MonitorRow{GeneratorOpenFiles: rundir.Number{Value: 36, Known: true}}})
	text := scrape(t, &r)
	wantLines(t, text, "process_open_fds 36")
	if strings.Contains(text, "loadgen_node_") {
		t.Errorf("a node is told:\n%s", text)
	}
}

// A scrape sees one second whole, whenever it comes.
func TestAScrapeBetweenTwoSeconds(t *testing.T) {
	t.Parallel()
	var (
		r       Run
		telling sync.WaitGroup
	)
	telling.Go(func() {
		for n := range int64(2000) {
			r.Set(State{Scheduled: n, Sent: n})
		}
	})
	for range 100 {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		_, scheduled, _ := strings.Cut(w.Body.String(), "\nloadgen_requests_scheduled_total ")
		_, sent, _ := strings.Cut(w.Body.String(), "\nloadgen_requests_sent_total ")
		scheduled, _, _ = strings.Cut(scheduled, "\n")
		sent, _, _ = strings.Cut(sent, "\n")
		if scheduled == "" || scheduled != sent {
			t.Fatalf("scheduled %q and sent %q are of two seconds", scheduled, sent)
		}
	}
	telling.Wait()
}
