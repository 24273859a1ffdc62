package qpn_test

import (
	"errors"
	"math"
	"testing"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/exact"
)

// What the reference says we find is what the formulas give.
func TestStudyOurs(t *testing.T) {
	t.Parallel()
	want := map[string]float64{
		"spr unlimited N 15": 5, "spr unlimited power 15": 45, "spr 5-mu3 scv 0": 2.125, "spr 15-mu3 capacity 0": 45,
		"spr 5-mu3 power peak 0": 22.18,
		"cls M1 power peak 0":    2.88, "cls M2 power peak 0": 5.75, "cls M3 power peak 0": 9.61, "cls M4 power peak 0": 19.96,
		"cls M4 N 12": 7.31, "cls M1 capacity 0": 6,
	}
	overloaded := 0
	for _, f := range qpn.Study() {
		key := f.Model + " " + f.Variants[0] + " " + f.Metric + " " + trim(f.Lambda)
		if testing.Short() && key == "cls M4 power peak 0" { // its chain is the largest
			delete(want, key)
			continue
		}
		ours, err := f.Ours()
		if _, over := errors.AsType[*exact.Overload](err); over {
			if f.Verdict != qpn.NoSteadyState {
				t.Errorf("%s: %v, but the verdict is %s", key, err, f.Verdict)
			}
			overloaded++
			continue
		}
		if f.Verdict == qpn.Underspecific {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if w, known := want[key]; !known || math.Abs(ours.Value-w) > 0.01 /* the file has two digits, from a grid */ {
			t.Errorf("%s: ours %v, want %v", key, ours.Value, w)
		}
		if near := math.Abs(ours.Value/f.Value-1) < 0.005; near != (f.Verdict == qpn.Reproduced) {
			t.Errorf("%s: ours %v beside %v is called %s", key, ours.Value, f.Value, f.Verdict)
		}
		delete(want, key)
	}
	if len(want) > 0 || overloaded != 14 {
		t.Errorf("%d figures without steady state (want 14), missing: %v", overloaded, want)
	}
}

func TestFiguresAt(t *testing.T) {
	t.Parallel()
	if got := qpn.FiguresAt("cls", "5x3", 15); len(got) != 3 || got[0].Metric != "N" || got[2].Metric != "X" {
		t.Errorf("figures of CLS 5×3 at 15: %v", got)
	}
	if got := qpn.FiguresAt("cls", "5x3", 14.9); len(got) != 0 {
		t.Errorf("figures at 14.9: %v", got)
	}
	if got := len(qpn.FiguresOf("spr", "15-mu1")); got != 4 {
		t.Errorf("%d figures of SPR 15-mu1, want 4", got)
	}
}
