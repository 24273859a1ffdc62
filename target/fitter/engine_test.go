package fitter

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/target/arima"
	"edgebench/target/policy"
)

// Statsmodels answers the same messages: on the forecast of an ARIMA(1,1,1), whose
// likelihood has one maximum, both agree.
func TestStatsmodelsAnswers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("importing statsmodels takes seconds on a busy machine")
	}
	engine, err := Statsmodels()
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	r := rig{answers: make(chan answer, 100), events: make(chan Event, 100)}
	r.Fitter = Open(Options{
		Engine:    engine,
		Answered:  func(forecast []float64, err error) { r.answers <- answer{0, forecast, err} },
		Events:    func(e Event) { r.events <- e },
		HungAfter: time.Hour,
	})
	t.Cleanup(r.Close)
	q := question()
	q.Order = arima.Order{P: 1, D: 1, Q: 1}
	want, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	r.ask(t, q)
	got := <-r.answers
	if got.err != nil || len(got.forecast) != len(want) {
		t.Fatalf("%+v, want %v", got, want)
	}
	for i := range want {
		if math.Abs(got.forecast[i]-want[i]) > 1e-2*math.Abs(want[i]) {
			t.Errorf("forecast %d: %g, ours %g", i, got.forecast[i], want[i])
		}
	}
	r.ask(t, policy.Question{Order: arima.Order{P: -1}, Series: q.Series, Ahead: 1})
	if got := <-r.answers; got.err == nil {
		t.Errorf("an order of -1: %+v", got)
	}
	if s := r.Stats(); s.Answers != 2 || s.Refused != 1 || s.FitP50 <= 0 {
		t.Errorf("stats: %+v", s)
	}
}

// What is missing is told by the name of its package.
func TestStatsmodelsMissing(t *testing.T) {
	t.Parallel()
	bare := filepath.Join(t.TempDir(), "python3") // an interpreter without the package
	if err := os.WriteFile(bare, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := pythonEngine("/nonexistent/python3", bare)
	if !errors.Is(err, ErrMissing) {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{"/nonexistent/python3 is not there", bare + " has no package statsmodels", "apt-get install python3-statsmodels"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}
