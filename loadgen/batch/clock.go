package batch

import (
	"context"
	"time"
)

// A reading is what one exchange with another clock tells: it was read between
// sent and received on ours.
type reading struct{ sent, theirs, received int64 } // ns

// offset is their clock minus ours, and by how much that may be off: the reading
// lay somewhere between the ends of the exchange that took the least time.
func offset(readings []reading) (offset, uncertainty time.Duration) {
	best := readings[0]
	for _, r := range readings[1:] {
		if r.received-r.sent < best.received-best.sent {
			best = r
		}
	}
	half := (best.received - best.sent) / 2
	return time.Duration(best.theirs - best.sent - half), time.Duration(best.received - best.sent - half)
}

// exchanges with each member's clock: the least of so many round trips is close
// to that of a quiet network.
const exchanges = 15

// compareClocks reads a member's clock against ours.
func (s *Store) compareClocks(ctx context.Context, member string, look order) (off, uncertainty time.Duration, err error) {
	var readings []reading
	for range exchanges {
		begun := time.Now()
		a, err := s.order(ctx, member, look)
		if err != nil {
			return 0, 0, err
		}
		// Their answer on the world's clock, our two instants too, one from the
		// other by the monotonic clock.
		sent := begun.UnixNano()
		readings = append(readings, reading{sent, a.UnixNS, sent + int64(time.Since(begun))})
	}
	off, uncertainty = offset(readings)
	return off, uncertainty, nil
}
