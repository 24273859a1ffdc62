package main

import (
	"encoding/json"
	"strings"
	"testing"

	"edgebench/target/policy"
)

// Every policy has a row, and those that say O(1) allocate nothing.
func TestPredictorCost(t *testing.T) {
	t.Parallel()
	var out, log strings.Builder
	if code := predictorCost(t.Context(), strings.Fields("--time 2ms --fits 1 --fitters ours --json"), &out, &log); code != exitOK || log.Len() > 0 {
		t.Fatalf("exit %d: %s", code, &log)
	}
	var report struct {
		Decisions []struct {
			Policy    string
			Cost      string
			Decisions int
			MeanNS    float64 `json:"mean_ns"`
		}
		Engines []struct {
			Fits []struct {
				Windows int
				P50NS   int64 `json:"p50_ns"`
			}
			Memory struct{ RSS, PSS int64 } `json:"memory_bytes"`
		}
		ForecastNS int64 `json:"forecast_ns"`
	}
	if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, d := range report.Decisions {
		seen[d.Policy] = d.Decisions > 0 && d.MeanNS > 0
	}
	for _, s := range policy.Specs() {
		if s.Fitter == "" && !seen[s.Name] {
			t.Errorf("%s is not measured", s.Name)
		}
	}
	if len(report.Engines) != 1 || len(report.Engines[0].Fits) != 4 || report.Engines[0].Fits[3].P50NS <= 0 ||
		report.Engines[0].Memory.PSS <= 0 || report.ForecastNS <= 0 {
		t.Errorf("engines: %+v, forecast %d ns", report.Engines, report.ForecastNS)
	}
}

func TestPredictorCostFaults(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	args := []string{"predictor-cost", "--time", "soon", "--fits=0", "--fitters", "theirs", "now"}
	if code := run(args, strings.NewReader(""), &strings.Builder{}, &log); code != exitUsage {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{`--time "soon": not a duration`, "fits 0: out of range 1..10000", `fitter "theirs": unknown (have ours, statsmodels)`, `argument "now"`, "see target predictor-cost --help"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in:\n%s", want, &log)
		}
	}
}
