package policy

import (
	"math"
	"testing"
	"time"
)

// Values of Siegmund's approximation, beside Brook and Evans (1972): 335, 930, 18906.
func TestRunLength(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ k, h, want float64 }{{0.5, 4, 338}, {0.5, 5, 938}, {0.5, 8, 19112}} {
		if got := RunLength(0, c.k, c.h); math.Abs(got-c.want) > 0.5 {
			t.Errorf("k %g, h %g: %.2f, want %g", c.k, c.h, got, c.want)
		}
	}
	near, limit := RunLength(0.5+1e-4, 0.5, 8), RunLength(0.5, 0.5, 8)
	if math.Abs(near-limit) > 0.1 {
		t.Errorf("not continuous where the drift vanishes: %v beside %v", near, limit)
	}
}

func TestFalseAlarmRun(t *testing.T) {
	t.Parallel()
	p, err := New("ewma", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for rate, want := range map[float64]float64{30: 702, 60: 52, 100: 18} {
		if got := p.(*ewma).charts[0].(*fixedChart).falseAlarmRun(rate, 0.2, 2*time.Second); math.Abs(got-want) > 0.5 {
			t.Errorf("%g/s: %.2f ticks, want %g", rate, got, want)
		}
	}
}
