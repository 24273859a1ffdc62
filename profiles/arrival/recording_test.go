package arrival

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestARecordingIsReplayedInOrder(t *testing.T) {
	t.Parallel()
	sec := time.Second
	r, err := NewRecording("times", []Instant{{3 * sec, 1}, {0, 0}, {sec, 1}, {sec, 0}}, []Function{{Name: "a"}, {Name: "b"}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []Arrival{{0, 0, 0, 0}, {1, sec, 0, 1}, {2, sec, 0, 0}, {3, 3 * sec, 0, 1}}
	s := recorded(t, r, 1)
	if diff := cmp.Diff(want, arrivals(s)); diff != "" {
		t.Error(diff)
	}
	if s.Duration() != 3*sec+1 || s.Expected() != 4 || s.Functions()[1].Share != 0.5 {
		t.Errorf("%v, expected %v, functions %+v", s.Duration(), s.Expected(), s.Functions())
	}
	fast, err := r.Scaled(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	cut := recorded(t, fast, 1, Phase{Name: "a", Length: sec / 2}, Phase{Name: "b", Length: sec / 2})
	if diff := cmp.Diff([]Arrival{{0, 0, 0, 0}, {1, sec / 2, 1, 1}, {2, sec / 2, 1, 0}}, arrivals(cut)); diff != "" {
		t.Error(diff)
	}
}

func TestARecordingIsThinned(t *testing.T) {
	t.Parallel()
	var instants []Instant
	for i := range 100_000 {
		instants = append(instants, Instant{At: time.Duration(i) * time.Millisecond})
	}
	whole, err := NewRecording("replay", instants, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := whole.Scaled(1, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	s := recorded(t, r, 2)
	d, err := s.Digest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.Expected() != 25_000 || math.Abs(float64(d.Planned)-25_000) > 4.5*s.Deviation() || s.Deviation() < 130 || s.Deviation() > 140 {
		t.Errorf("%d arrivals, expected %v ± %v", d.Planned, s.Expected(), s.Deviation())
	}
	if p := s.Phases()[0]; math.Abs(p.Peak()-250) > 1 {
		t.Errorf("peak %v", p.Peak())
	}
	for _, keep := range []float64{0, 1.5, math.NaN()} {
		if _, err := whole.Scaled(1, keep); err == nil || !strings.Contains(err.Error(), "thinned") {
			t.Errorf("scale %v: %v", keep, err)
		}
	}
	if _, err := NewRecording("times", nil, nil, 0); err == nil {
		t.Error("nothing was accepted")
	}
	if _, err := NewRecording("times", []Instant{{-1, 0}}, nil, 0); err == nil {
		t.Error("an instant before 0 was accepted")
	}
}
