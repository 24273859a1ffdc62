package response

import (
	"testing"

	"edgebench/analysis/rundir"
)

func TestInstancesMarkTheirFirstAnswer(t *testing.T) {
	t.Parallel()
	var s Instances
	for i, c := range []struct {
		id   string
		want rundir.Mark
	}{{"a", rundir.MarkYes}, {"a", rundir.MarkNo}, {"", rundir.MarkNone}, {"b", rundir.MarkYes}, {"a", rundir.MarkNo}} {
		if got := s.Mark([]byte(c.id)); got != c.want {
			t.Errorf("answer %d of %q: %v, want %v", i, c.id, got, c.want)
		}
	}
}
