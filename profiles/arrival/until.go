package arrival

import (
	"fmt"
	"slices"
	"time"
)

// Until is the schedule cut so that its last phase holds exactly count arrivals: it
// ends at the instant the next one would have come. It walks the schedule once.
func (s *Schedule) Until(count uint64) (*Schedule, error) {
	last := len(s.phases) - 1
	start := s.phases[last].Start
	var before, within uint64
	var at time.Duration
	st := s.Stream()
	for a, ok := st.Next(); ; a, ok = st.Next() {
		switch {
		case ok && int(a.Phase) < last:
			before++
			continue
		case ok && within < count:
			within++
			at = a.At
			continue
		case ok:
			at = max(a.At, at+1)
		case within < count:
			return nil, fmt.Errorf("phase %d %q: only %d of %d arrivals come within %v", last, s.phases[last].Name, within, count, s.phases[last].Length)
		default:
			at = start + s.phases[last].Length
		}
		break
	}
	cut := *s
	cut.phases, cut.cumulative = slices.Clone(s.phases), slices.Clone(s.cumulative)
	cut.phases[last].Length = max(1, at-start)
	cut.cumulative[last+1] = cut.cumulative[last] + float64(count)
	cut.whole, cut.limit = s, before+count
	return &cut, nil
}

// limited ends a stream after so many arrivals.
type limited struct {
	Stream
	left uint64
}

// Next implements Stream.
func (l *limited) Next() (Arrival, bool) {
	if l.left == 0 {
		return Arrival{}, false
	}
	l.left--
	return l.Stream.Next()
}
