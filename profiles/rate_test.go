package profiles

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/profiles/arrival"
)

func withRate(rate string) string {
	return "target: {bundled: {}}\nphases: [{name: a, rate: " + rate + ", for: 60s}]\n"
}

func TestCurves(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text     string
		want     Rate
		expected float64
	}{
		{"{sine: {mean: 20/s, amplitude: 10/s, period: 20s, offset: 5s}}",
			Rate{Sine: &arrival.Sine{Mean: 20, Amplitude: 10, Period: 20 * time.Second, Offset: 5 * time.Second}}, 1200},
		{"{steps: [{rate: 2/s, for: 10s}, {rate: 0, for: 5s}, {rate: 30/s, for: 5s}]}",
			Rate{Steps: []arrival.Step{{Rate: 2, Length: 10 * time.Second}, {Length: 5 * time.Second}, {Rate: 30, Length: 5 * time.Second}}}, 510},
	}
	for _, tt := range tests {
		p, err := Parse("p.yaml", []byte(withRate(tt.text)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, p.Phases[0].Rate); diff != "" {
			t.Error(diff)
		}
		roundTrip(t, p)
		if s, err := p.Schedule(); err != nil || s.Expected() != tt.expected {
			t.Errorf("%s: expected %v, %v", tt.text, s.Expected(), err)
		}
	}
}

func TestFaultsOfCurves(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{sine: {mean: 0, amplitude: 0, period: 1s}}":                 "rate.sine.mean: 0 must be above 0",
		"{sine: {mean: 1/s, amplitude: 2/s, period: 1s}}":             "above the mean",
		"{sine: {mean: 1/s, amplitude: 1/s}}":                         "missing key period",
		"{sine: {mean: 1/s, amplitude: 1/s, period: 1s, offset: 1s}}": "not below the period",
		"{sine: {mean: 1/s, amplitude: 1/s, period: 1s}, steps: []}":  "either a sine or steps",
		"{sine: {mean: 1/s, amplitude: 1/s, period: 1s}, from: 1/s}":  `unknown key "from"`,
		"{steps: []}":                   "no steps",
		"{steps: [{rate: 1, for: 0s}]}": "rate.steps[0].rate: 1: missing unit",
		"{steps: [{rate: 1/s}]}":        "missing key for",
		"{steps: [{rate: 1/s, for: 90y}, {rate: 1/s, for: 36000d, fro: 1s}]}":    `unknown key "fro"`,
		"{steps: [{rate: 1/s, for: 36000d}, {rate: 1/s, for: 36000d}], from: 1}": "all steps together are longer",
	} {
		_, err := Parse("p.yaml", []byte(withRate(text)), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v lacks %q", text, err, want)
		}
	}
}

func TestLawsWithLists(t *testing.T) {
	t.Parallel()
	p, err := Parse("p.yaml", []byte(small+"arrivals: {mmpp: {rates: [1, 20.5], dwell: [1m30s, 1.1s]}}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Arrivals{Law: "mmpp", Params: arrival.Values{"rates": {1, 20.5}, "dwell": {90, 1.1}}}
	if diff := cmp.Diff(want, p.Arrivals); diff != "" {
		t.Error(diff)
	}
	roundTrip(t, p)
	for text, want := range map[string]string{
		"{mmpp: {rates: [1], dwell: [1s]}}":        "1 states: want 2 to 64",
		"{mmpp: {rates: [1, 2, 3], dwell: [1s]}}":  "3 rates for 1 dwell times",
		"{mmpp: {rates: [0, 0], dwell: [1s, 1s]}}": "every rate is 0",
		"{mmpp: {rates: 1, dwell: [1, 1s]}}":       "arrivals.mmpp.rates: expected a list",
		"{mmpp: {rates: [1, 2], dwell: [1, 1s]}}":  "arrivals.mmpp.dwell[0]: 1: missing unit",
		"{lognormal: {scv: 0}}":                    "not above 0",
		"{weibull: {scv: [1]}}":                    "arrivals.weibull.scv: expected a number",
		"{weibull: {scv: 1, k: 2}}":                `unknown key "k"`,
	} {
		_, err := Parse("p.yaml", []byte(small+"arrivals: "+text), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v lacks %q", text, err, want)
		}
	}
}
