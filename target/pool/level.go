package pool

import "time"

// level is a number that changes at known instants, and its integral over the
// window since begin.
type level struct {
	n     int
	since time.Duration // n has not changed
	area  time.Duration // up to since: n times how long it was n
}

func (l *level) move(now time.Duration, by int) {
	l.area += time.Duration(l.n) * (now - l.since)
	l.since = now
	l.n += by
}

// over is the integral up to now.
func (l *level) over(now time.Duration) time.Duration {
	return l.area + time.Duration(l.n)*(now-l.since)
}

// begin starts a window.
func (l *level) begin(now time.Duration) { l.area, l.since = 0, now }
