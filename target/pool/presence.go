package pool

import "time"

// presence follows the number of requests in the node, waiting and executing.
// The instants are exact: every input that changes the number tells its own.
type presence struct {
	now   time.Duration // of the last input
	n     int
	since time.Duration // n has not changed
	area  time.Duration // integral of n over the window up to since

	served bool            // a request has left: before that, no time is between two
	empty  time.Duration   // n has been 0 since
	idles  []time.Duration // spells of emptiness that ended in the window
}

func (s *presence) move(by int) {
	s.area += time.Duration(s.n) * (s.now - s.since)
	s.since = s.now
	if s.n == 0 && s.served {
		s.idles = append(s.idles, s.now-s.empty)
	}
	s.n += by
	if by < 0 {
		s.served = true
		s.empty = s.now
	}
}

// mean is the time-averaged number over a window that ends now.
func (s *presence) mean(window time.Duration) float64 {
	area := s.area + time.Duration(s.n)*(s.now-s.since)
	return float64(area) / float64(window)
}

// silence is how long the node has been empty since it served a request.
func (s *presence) silence() time.Duration {
	if s.n > 0 || !s.served {
		return 0
	}
	return s.now - s.empty
}

// begin starts a window.
func (s *presence) begin() {
	s.area, s.since = 0, s.now
	s.idles = s.idles[:0]
}
