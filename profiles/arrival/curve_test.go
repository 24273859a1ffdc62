package arrival

import (
	"fmt"
	"math"
	"testing"
	"time"
)

func TestInstantIsTheFirstTimeCountExceeds(t *testing.T) {
	t.Parallel()
	third := 10 * time.Second / 3
	curves := []Curve{
		Constant(2), Constant(1.0 / 3), Constant(0.1), Constant(1e-6), Constant(1e7),
		Linear{0, 30, 30 * time.Second},
		Linear{30, 0, 30 * time.Second},
		Linear{2, 30, 30 * time.Second},
		Linear{30, 2, third},
		Linear{5, 5, third},
		Linear{5, 5 + 1e-12, third}, // flat enough to cancel in the textbook root
		Linear{0, 1e-9, time.Hour},
		Sine{20, 10, 7 * time.Second, 2 * time.Second},
		Sine{20, 20, 30 * time.Second, 0}, // comes to a stop
		Sine{5, 5, time.Hour, 45 * time.Minute},
		Sine{0.1, 0, time.Second, 0},
		NewSteps([]Step{{2, 3 * time.Second}, {0, time.Second}, {30, 500 * time.Millisecond}}),
		NewSteps([]Step{{0, 3 * time.Second}, {7, 40 * time.Second}}),
	}
	for _, c := range curves {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			length := 30 * time.Second
			if l, ok := c.(Linear); ok {
				length = l.Length
			}
			total := c.Count(length)
			for i := range 1000 {
				n := total * float64(i) / 1000
				at := c.Instant(n)
				// Half a nanosecond of rounding, and what doubles lose near n.
				slack := max(c.Rate(at), c.Rate(max(at-1, 0)))*1e-9 + 1e-14*total
				if got := c.Count(at); math.Abs(got-n) > slack {
					t.Fatalf("Count(Instant(%v)) = %v, off by %v, slack %v", n, got, got-n, slack)
				}
			}
		})
	}
}

func TestInstantAtTheEdges(t *testing.T) {
	t.Parallel()
	ten := 10 * time.Second
	tests := []struct {
		name  string
		curve Curve
		count float64
		want  time.Duration
	}{
		{"idle", Idle, 0, Never},
		{"constant at 0", Constant(2), 0, 0},
		{"constant", Constant(2), 1, 500 * time.Millisecond},
		{"constant rounds to the nearest ns", Constant(3), 2, 666666667},
		{"too far for a duration", Constant(1e-12), 1, Never},
		{"ramp from 0 at 0", Linear{0, 10, ten}, 0, 0},
		{"ramp from 0", Linear{0, 10, ten}, 12.5, 5 * time.Second},
		{"ramp to 0", Linear{10, 0, ten}, 37.5, 5 * time.Second},
		{"ramp to 0, its whole", Linear{10, 0, ten}, 50, Never},
		{"ramp beyond its end", Linear{0, 10, ten}, 51, Never},
		{"level ramp", Linear{4, 4, ten}, 2, 500 * time.Millisecond},
		{"silent ramp", Linear{0, 0, ten}, 0, Never},
		{"sine at 0", Sine{2, 1, ten, 0}, 0, 0},
		{"sine, whole periods", Sine{2, 1, ten, 3 * time.Second}, 40, 20 * time.Second},
		{"sine, half a period", Sine{math.Pi, math.Pi, ten, 0}, 5*math.Pi + 10, 5 * time.Second},
		{"sine too far", Sine{1e-12, 0, ten, 0}, 1, Never},
		{"steps skip silence at 0", NewSteps([]Step{{0, ten}, {1, ten}}), 0, ten},
		{"steps skip silence", NewSteps([]Step{{1, ten}, {0, ten}, {1, ten}}), 10, 2 * ten},
		{"steps begin again", NewSteps([]Step{{1, ten}, {0, ten}}), 10, 2 * ten},
		{"silent steps", NewSteps([]Step{{0, ten}}), 0, Never},
		{"below 0", Linear{1, 2, ten}, -1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.curve.Instant(tt.count); got != tt.want {
				t.Errorf("Instant(%v) = %v, want %v", tt.count, got, tt.want)
			}
		})
	}
}

func TestRampToZeroKeepsPrecisionAtItsEnd(t *testing.T) {
	t.Parallel()
	l := Linear{30, 0, 30 * time.Second} // 450 arrivals
	for _, left := range []float64{1e-3, 1e-6, 1e-9} {
		// The remainder of the triangle: left = t²/2 at t before the end, slope 1/s².
		want := l.Length - time.Duration(math.Sqrt(2*left)*1e9)
		got := l.Instant(450 - left)
		// 450 − left itself is rounded: half an ulp of 450 moves the root this far.
		slack := time.Duration(3e-14/math.Sqrt(2*left)*1e9) + 2
		if d := got - want; d < -slack || d > slack {
			t.Errorf("%v before the end of the count: %v, want %v ± %v", left, got, want, slack)
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Curve{
		"idle": Idle, "constant": Constant(1), "ramp": Linear{1, 2, 1}, "sine": Sine{1, 1, 1, 0}, "steps": NewSteps([]Step{{1, 1}}),
		"curve": plainCurve{},
	} {
		if got := kindOf(c); got != want {
			t.Errorf("kind of %T = %q, want %q", c, got, want)
		}
	}
}

// plainCurve has no kind of its own.
type plainCurve struct{ Curve }
