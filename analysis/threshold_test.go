package analysis

import (
	"strings"
	"testing"

	"edgebench/analysis/rundir"
)

func TestThresholds(t *testing.T) {
	t.Parallel()
	a := &Account{
		Counts:   Counts{Scheduled: 1000, Sent: 990, Dropped: 10, OK: 900, Errors: 90},
		Rate:     Rate{OKRPS: new(20.0)},
		Response: Distribution{N: 900, P99NS: new(int64(802e6))},
		Cold:     Cold{Marked: 900, Truth: new(uint64(90)), ByThreshold: new(uint64(99)), Precision: new(0.5)},
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
	}
	for _, tt := range tests {
		th, err := ParseThreshold(tt.expression)
		if err != nil {
			t.Errorf("%s: %v", tt.expression, err)
			continue
		}
		if got := th.check(a); got.Met != tt.met || got.Value != tt.value {
			t.Errorf("%s: met %v at %s, want %v at %s", tt.expression, got.Met, got.Value, tt.met, tt.value)
		}
	}
}

func TestThresholdFaults(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"response.p99":              "no < <= > or >=",
		"response.p98 < 1s":         `unknown metric "response.p98"; known are cold.by_threshold`,
		"response.p99 < 900":        `limit "900" is not a duration`,
		"response.p99 < -1s":        `limit "-1s" is not a duration`,
		"rate.ok > 20":              `limit "20" is not a rate`,
		"error_rate < NaN":          `limit "NaN" is neither`,
		"error_rate < 1ms":          `limit "1ms" is neither`,
		"error_rate <":              `limit "" is neither`,
		"error_rate == 1":           "no < <= > or >=",
		"< 1":                       `unknown metric ""`,
		"a.b.response.p99 < 1s":     `no phase "a.b"`,
		"spike.response.p99 << 1":   `limit "< 1"`,
		"fn.crop.response.p99 < 1s": `no function "crop"`,
		"fn.lag.p99 < 1s":           `no phase "fn"`,
		"resize.error_rate < 1%":    `no phase "resize"`,
	} {
		_, err := ParseThresholds(&rundir.Manifest{
			Thresholds: []string{expression}, Phases: []rundir.PhaseFact{{Name: "spike"}}, Functions: []string{"resize", "thumb.v2"},
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
		th.check(&Account{})
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
