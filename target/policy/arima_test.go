package policy

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// scripted answers questions from a list and keeps what it was asked.
type scripted struct {
	answers [][]float64 // nil: pending
	asked   []Question
}

func (s *scripted) Forecast(q Question) ([]float64, error) {
	q.Series = slices.Clone(q.Series)
	s.asked = append(s.asked, q)
	if i := len(s.asked) - 1; s.answers[i] != nil {
		return s.answers[i], nil
	}
	return nil, ErrPending
}

func arimaWith(t *testing.T, f Forecaster, params map[string]float64) Forecasting {
	t.Helper()
	p, err := New("arima", params, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f != nil {
		p.(Forecasting).Attach(f)
	}
	return p.(Forecasting)
}

// Without smoothing, T = 500 ms: N = ceil(lambda/2) + 1. The order (1,0,0) wants
// six windows; until then the last one counts.
func TestARIMATurnsForecastsIntoWorkers(t *testing.T) {
	t.Parallel()
	f := &scripted{answers: [][]float64{{3, 20, 7}, {-4, math.NaN(), math.Inf(1)}, nil, {1e300, 0, 0}}}
	p := arimaWith(t, f, map[string]float64{"p": 1, "d": 0, "q": 0, "least": 1, "windows": 12, "lead": 3, "smoothing": 1})
	var got []int
	for _, d := range windows(p, 2, 4, 6, 8, 10, 12, 14, 16, 18) {
		got = append(got, d.Target)
	}
	// The largest of those ahead; what is no rate is silence; pending keeps the target; absurd is bounded.
	if diff := cmp.Diff([]int{2, 3, 4, 5, 6, 11, 1, 1, maxTarget}, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{2, 4, 6, 8, 10, 12}, f.asked[0].Series); diff != "" || f.asked[0].Ahead != 3 {
		t.Errorf("first question %+v\n%s", f.asked[0], diff)
	}
}

func TestARIMASmoothsItsTarget(t *testing.T) {
	t.Parallel()
	p := arimaWith(t, nil, nil)
	var got []int
	for _, d := range windows(p, 30, 30, 30, 30, 0, 0, 0, 0, 0) {
		got = append(got, d.Target)
	}
	// Towards 16 from 1: 8.5, 12.25, 14.1, 15.1; towards 1: 8, 4.5, 2.8, 1.9, 1.4.
	if diff := cmp.Diff([]int{9, 12, 14, 15, 8, 5, 3, 2, 1}, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestARIMARevisesWhenTheAnswerComes(t *testing.T) {
	t.Parallel()
	f := &scripted{answers: [][]float64{nil, nil, {2}}}
	p := arimaWith(t, f, map[string]float64{"smoothing": 1, "least": 12})
	if d := p.Revise([]float64{50}, nil); d.Target != 1 {
		t.Errorf("an answer to nothing: %+v", d)
	}
	rates := slices.Repeat([]float64{6}, 12)
	kept := windows(p, rates...)[11]
	if kept.Target != 4 { // of the window before, which was the last without a question
		t.Errorf("while pending: %+v, want target 4 kept", kept)
	}
	if d := p.Revise([]float64{20}, nil); d.Target != 11 || d.Floor != 11 || d.Baseline != 20 || d.Rate != 6 {
		t.Errorf("revised: %+v, want target 11 for 20/s", d)
	}
	if d := windows(p, 6)[0]; d.Target != 11 {
		t.Errorf("pending again: %+v, want target 11 kept", d)
	}
	if d := p.Revise(nil, errors.New("constant")); d.Target != 4 || d.Baseline != 6 {
		t.Errorf("not to be forecast: %+v, want the last window's", d)
	}
}

// The in-process forecaster sees a ramp coming: it is ahead of the last window.
func TestARIMALeadsOnARamp(t *testing.T) {
	t.Parallel()
	p := arimaWith(t, nil, map[string]float64{"smoothing": 1})
	all := windows(p, ramp(1)...)
	for _, d := range all[22:31] { // the ramp goes up from the 18th window to the 32nd
		if d.Baseline <= d.Rate {
			t.Errorf("forecast %.2f on a ramp at %.2f", d.Baseline, d.Rate)
		}
	}
	again := windows(arimaWith(t, nil, map[string]float64{"smoothing": 1}), ramp(1)...)
	if diff := cmp.Diff(all, again); diff != "" {
		t.Errorf("a replay decides otherwise:\n%s", diff)
	}
}

func TestARIMAForgetsOldWindows(t *testing.T) {
	t.Parallel()
	f := &scripted{answers: make([][]float64, 50)}
	p := arimaWith(t, f, map[string]float64{"windows": 12})
	for i := range 30 {
		p.Decide(Observation{Window: time.Second, Arrivals: i, ServiceTime: time.Second})
	}
	last := f.asked[len(f.asked)-1]
	if len(last.Series) != 12 || last.Series[0] != 18 || last.Series[11] != 29 {
		t.Errorf("asked about %v, want 18 to 29", last.Series)
	}
}
