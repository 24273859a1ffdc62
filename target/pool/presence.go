package pool

import "time"

// presence follows the number of requests in the node, waiting and executing.
// The instants are exact: every input that changes the number tells its own.
type presence struct {
	level
	now time.Duration // of the last input

	served bool            // a request has left: before that, no time is between two
	empty  time.Duration   // n has been 0 since
	idles  []time.Duration // spells of emptiness that ended in the window
}

func (s *presence) move(by int) {
	if s.n == 0 && s.served {
		s.idles = append(s.idles, s.now-s.empty)
	}
	s.level.move(s.now, by)
	if by < 0 {
		s.served = true
		s.empty = s.now
	}
}

// mean is the time-averaged number over a window that ends now.
func (s *presence) mean(window time.Duration) float64 {
	return float64(s.over(s.now)) / float64(window)
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
	s.level.begin(s.now)
	s.idles = s.idles[:0]
}
