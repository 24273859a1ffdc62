package analysis

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"edgebench/analysis/rundir"
)

func TestThresholds(t *testing.T) {
	t.Parallel()
	a := &Account{
		ErrorsByClass: map[string]uint64{"timeout": 9},
		Failed:        Distribution{N: 90, P50NS: new(int64(3e6))},
		Counts:        Counts{Scheduled: 1000, Sent: 990, Dropped: 10, OK: 900, Errors: 90},
		Rate:          Rate{OKRPS: new(20.0)},
		Response:      Distribution{N: 900, P99NS: new(int64(802e6))},
		Cold:          Cold{Marked: 900, Truth: new(uint64(90)), ByThreshold: new(uint64(99)), Precision: new(0.5)},
	}
	tests := []struct {
		expression string
		met        bool
		value      string
	}{
		{"response.p99 < 900ms", true, "802ms"},
		{"response.p99<802ms", false, "802ms"},
		{"response.p99 <= 802ms", true, "802ms"},
		{"response.p50 < 1h", false, "not measured"},
		{"cold.truth <= 10%", true, "10.00%"},
		{"cold.truth < 10 %", false, "10.00%"},
		{"cold.truth < 91", true, "90"},
		{"cold.by_threshold > 98", true, "99"},
		{"cold.recall > 0.5", false, "not measured"},
		{"cold.precision >= 50%", true, "50.00%"},
		{"error_rate < 10%", true, "9.09%"},
		{"error_rate < 0.01", false, "0.0909091"},
		{"drop_rate <= 1%", true, "1.00%"},
		{"counts.errors < 1%", false, "9.09%"},
		{"rate.ok >= 20/s", true, "20.00/s"},
		{"errors_by_class.timeout <= 1%", true, "0.91%"},
		{"errors_by_class.http_5xx <= 0", true, "0"},
		{"paths.fallback < 1%", true, "0.00%"},
		{"failed.p50 < 1ms", false, "3ms"},
		{"lag.n < 1", true, "0"},
		{"resources.pss_max < 400MB", true, "120.50MB"},
		{"resources.rss_max < 400MB", false, "not measured"},
		{"resources.cpu <= 1m30s", true, "1m30s"},
		{"resources.workers_mean < 7.5", false, "7.5"},
		{"generator.cpu_share < 50%", true, "12.50%"},
		{"policy.decide_p99 < 1ms", true, "2.5µs"},
	}
	run := &Summary{
		Account:   *a,
		Resources: Resources{PSSMaxBytes: new(int64(120_500_000)), CPUSeconds: new(90.0), WorkersMean: new(7.5)},
		Generator: Generator{CPUShare: new(0.125)},
		Policy:    Policy{DecideP99NS: new(int64(2500))},
	}
	for _, tt := range tests {
		th, err := ParseThreshold(tt.expression)
		if err != nil {
			t.Errorf("%s: %v", tt.expression, err)
			continue
		}
		if got := th.check(subject{a, run}); got.Met != tt.met || got.Value != tt.value {
			t.Errorf("%s: met %v at %s, want %v at %s", tt.expression, got.Met, got.Value, tt.met, tt.value)
		}
	}
}

func TestThresholdFaults(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"response.p99":              "no < <= > or >=",
		"response.p98 < 1s":         `unknown metric "response.p98", did you mean response.p90?`,
		"spike.respons.p99 < 1s":    `did you mean spike.response.p99?`,
		"response.p99_ns < 1s":      `did you mean response.p99?`,
		"elephants < 1":             `unknown metric "elephants" (see: loadgen list metrics)`,
		"resources.pss_max < 400":   `limit "400" is not a size`,
		"resources.cpu < 90":        `limit "90" is not a duration such as 90s`,
		"lag.n < 1%":                `a part of nothing`,
		"spike.resources.cpu < 1s":  `resources.cpu is of the whole run: write it without "spike"`,
		"spik.response.p99 < 1s":    `unknown phase "spik", did you mean spike?`,
		"spike[3].lag.p99 < 1s":     `no cycle 3: the run has 1 to 2`,
		"spike[0].lag.p99 < 1s":     `no cycle 0`,
		"spike[x].lag.p99 < 1s":     `unknown phase "spike[x]"`,
		"cycle[9].lag.p99 < 1s":     `no cycle 9`,
		"response.p99 < 900":        `limit "900" is not a duration`,
		"response.p99 < -1s":        `limit "-1s" is not a duration`,
		"rate.ok > 20":              `limit "20" is not a rate`,
		"error_rate < NaN":          `limit "NaN" is neither`,
		"error_rate < 1ms":          `limit "1ms" is neither`,
		"error_rate <":              `limit "" is neither`,
		"error_rate == 1":           "no < <= > or >=",
		"< 1":                       `unknown metric ""`,
		"a.b.response.p99 < 1s":     `unknown phase "a.b"`,
		"spike.response.p99 << 1":   `limit "< 1"`,
		"fn.crop.response.p99 < 1s": `unknown function "crop"`,
		"fn.lag.p99 < 1s":           `unknown phase "fn"`,
		"resize.error_rate < 1%":    `unknown phase "resize"`,
	} {
		_, err := ParseThresholds(&rundir.Manifest{
			Thresholds: []string{expression}, Phases: []rundir.PhaseFact{{Name: "spike", Cycle: 1}, {Name: "spike", Cycle: 2}}, Functions: []string{"resize", "thumb.v2"},
		})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), expression) {
			t.Errorf("%q: error %v, want %q", expression, err, want)
		}
	}
	_, err := ParseThresholds(&rundir.Manifest{Thresholds: []string{"x", "y"}})
	if err == nil || strings.Count(err.Error(), "threshold") != 2 {
		t.Errorf("two faults reported as %v", err)
	}
}

func FuzzParseThreshold(f *testing.F) {
	f.Add("spike.cold.truth < 10%")
	f.Add("response.p99 >= 1m30s")
	f.Fuzz(func(t *testing.T, expression string) {
		th, err := ParseThreshold(expression)
		if err != nil {
			return
		}
		th.check(subject{&Account{}, &Summary{}})
		// What was accepted is made of what it was read as.
		rest := th.Metric
		if th.Part != "" {
			rest = th.Part + "." + rest
		}
		if !strings.HasPrefix(th.Expression, rest) {
			t.Errorf("%q read as phase %q, metric %q", expression, th.Part, th.Metric)
		}
	})
}

// Every metric takes the limit it shows, gives a number or none for a run with
// nothing in it, and never meets a threshold then.
func TestEveryMetric(t *testing.T) {
	t.Parallel()
	nothing := subject{&Account{}, &Summary{}}
	for _, m := range Metrics() {
		th, err := ParseThreshold(m.Name + " <= " + m.Limit)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		// A plain number that is no part of anything is 0 in an empty run, and known.
		if got := th.check(nothing); got.Met && (m.Percent || th.metric.kind != aCount) {
			t.Errorf("%s is met by nothing: %s", m.Name, got.Value)
		}
		if _, err := ParseThreshold(m.Name + " <= 1%"); (err == nil) != (m.Percent || th.metric.kind == aShare) {
			t.Errorf("%s <= 1%%: %v", m.Name, err)
		}
	}
}

// Every number of summary.json has its metric: whoever adds one gets it.
func TestMetricsAreTheKeysOfTheSummary(t *testing.T) {
	t.Parallel()
	_, data := summaryJSON(t, newFixture(1).write(t, t.TempDir()))
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	known := metrics()
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		inner, ok := v.(map[string]any)
		if !ok {
			name, _ := unitOf(prefix, reflect.TypeFor[uint64]())
			if _, text := v.(string); !text && known[name].value == nil && name != "cold.threshold" {
				t.Errorf("%s of summary.json is no metric", prefix)
			}
			return
		}
		for key, v := range inner {
			walk(prefix+"."+key, v)
		}
	}
	for _, key := range []string{
		"counts", "errors_by_class", "dropped_by_reason", "rate", "lag", "late_share", "connect_wait", "service", "response",
		"failed", "paths", "cold", "resources", "generator", "policy",
	} {
		walk(key, s[key])
	}
}

// C29: one error in 10,000 is within a bound of 1 %.
func TestOneErrorInTenThousand(t *testing.T) {
	t.Parallel()
	of := subject{&Account{Counts: Counts{Scheduled: 10_000, Sent: 10_000, OK: 9_999, Errors: 1}}, &Summary{}}
	for expression, want := range map[string]bool{"error_rate < 1%": true, "error_rate < 0.01%": false, "error_rate <= 0.01%": true, "counts.errors < 1": false} {
		th, err := ParseThreshold(expression)
		if err != nil {
			t.Fatal(err)
		}
		if got := th.check(of); got.Met != want {
			t.Errorf("%+v", got)
		}
	}
}

// A threshold on a phase takes its cycles together, one on PHASE[N] only that one.
func TestThresholdsOfParts(t *testing.T) {
	t.Parallel()
	f := newFixture(2)
	f.manifest.Thresholds = []string{"spike.counts.ok >= 300", "spike[2].counts.ok <= 150", "cycle[1].counts.scheduled <= 658", "cycle[2].counts.scheduled > 658", "drain.response.p99 < 1h"}
	s, _ := summaryJSON(t, f.write(t, t.TempDir()))
	for i, want := range []ThresholdResult{
		{"spike.counts.ok >= 300", true, "300"}, {"spike[2].counts.ok <= 150", true, "150"},
		{"cycle[1].counts.scheduled <= 658", true, "658"}, {"cycle[2].counts.scheduled > 658", true, "712"}, {"drain.response.p99 < 1h", false, "not measured"},
	} {
		if s.Thresholds[i] != want {
			t.Errorf("%+v, want %+v", s.Thresholds[i], want)
		}
	}
}
