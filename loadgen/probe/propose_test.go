package probe

import (
	"strings"
	"testing"
	"time"

	"edgebench/profiles"
)

// report is one of answers with the given times in ms.
func report(t *testing.T, answers ...Answer) *Report {
	t.Helper()
	p, err := profiles.OneLiner("http://127.0.0.1:1", "1/s", "1s", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Answers: answers}
	r.conclude(p)
	return r
}

func took(kind Kind, ms ...int64) (out []Answer) {
	for _, v := range ms {
		out = append(out, Answer{Kind: kind, TotalNS: v * 1e6, Status: 200})
	}
	return out
}

func TestProposals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers   []Answer
		threshold time.Duration // 0: none
		rate      float64
		why       string
	}{
		"cold starts are slow":  {append(took(Warm, 10, 11, 12, 10), took(Idle, 1200)...), 120 * time.Millisecond, 20, "so few are a guess"},
		"enough for a valley":   {append(took(Warm, 10, 11, 12, 10, 11, 12, 10, 11, 12, 10), took(Idle, 500, 510, 520, 530)...), 0, 20, "the valley between 10 answers"},
		"idling changes little": {append(took(Warm, 100, 110, 120, 130), took(Idle, 140)...), 0, 2, "none of 1 answers"},
		"slow function":         {append(took(Warm, 3000, 3100, 3200), took(First, 9000)...), 5367 * time.Millisecond, 1, "so few"},
		"nothing was ok":        {[]Answer{{Kind: Warm, Status: 500}}, 0, 0, "no warm answer was ok"},
	} {
		r := report(t, c.answers...)
		p := r.Propose
		if p.RateRPS != c.rate || !strings.Contains(p.ThresholdWhy, c.why) {
			t.Errorf("%s: %+v", name, p)
		}
		switch {
		case strings.HasPrefix(c.why, "the valley"):
			if p.ThresholdNS == nil || *p.ThresholdNS < 12e6 || *p.ThresholdNS > 500e6 {
				t.Errorf("%s: %+v", name, p)
			}
		case c.threshold == 0 != (p.ThresholdNS == nil):
			t.Errorf("%s: %+v", name, p)
		case c.threshold > 0 && (time.Duration(*p.ThresholdNS)-c.threshold).Abs() > time.Millisecond:
			t.Errorf("%s: threshold %v, want %v", name, time.Duration(*p.ThresholdNS), c.threshold)
		}
	}
}

func TestNiceRates(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]float64{0.001: 1, 1: 1, 1.9: 1, 2: 2, 4.99: 2, 5: 5, 9.9: 5, 10: 10, 19: 10, 20: 20, 1e6: 20} {
		if got := nice(v); got != want {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
}
