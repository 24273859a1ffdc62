package twin

import (
	"testing"
	"time"

	"edgebench/analysis/rundir"
)

// The functions of a trace take as long as the trace says, and one it does not know
// as long as the node's own.
func TestFunctionsTakeTheTimeAskedOfThem(t *testing.T) {
	t.Parallel()
	p := load(t, "trace")
	w, err := Trial{Profile: p, Phase: -1}.World()
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	calls := make([]int, len(s.Functions()))
	w.Answered = func(x *rundir.Sample) {
		calls[x.Function]++
		want := s.Functions()[x.Function].Service
		if want == 0 {
			want = p.Target.Bundled.Service.Mean
		}
		want += DefaultOverhead
		if time.Duration(x.ServiceNS) != want {
			t.Errorf("%s took %v, want %v", s.Functions()[x.Function].Name, time.Duration(x.ServiceNS), want)
		}
	}
	w.Play(s.Stream(), s.Duration(), p.DrainTimeout)
	for i, n := range calls {
		if n == 0 {
			t.Errorf("%s was not called", s.Functions()[i].Name)
		}
	}
}
