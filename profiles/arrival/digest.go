package arrival

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// MaxHashed is the largest expected count whose arrivals are hashed one by one:
// a few seconds of one core.
const MaxHashed = 50_000_000

// paramsPrefix marks a hash of the generating parameters.
const paramsPrefix = "params:"

// A Digest is what one walk over a schedule tells.
type Digest struct {
	// Hash is the hex SHA-256 over phase (4 bytes) and instant in ns (8 bytes),
	// and where there are several functions its function (4 bytes), little
	// endian, of every arrival in order; or "params:" and the hex SHA-256
	// of law, seed and phases, where more than MaxHashed arrivals are expected.
	Hash    string
	Counts  []uint64 // arrivals of each phase, nil when not walked
	Calls   []uint64 // arrivals of each function, nil when not walked or there is one
	Planned uint64   // arrivals in all, 0 when not walked
}

// Walked reports whether the arrivals were counted and hashed one by one.
func (d Digest) Walked() bool { return !strings.HasPrefix(d.Hash, paramsPrefix) }

// Digest walks the schedule in constant memory. The same phases, law and seed give
// the same digest on any machine. The error is ctx's.
func (s *Schedule) Digest(ctx context.Context) (Digest, error) {
	if s.Expected() > MaxHashed {
		return Digest{Hash: s.paramsHash()}, nil
	}
	d := Digest{Counts: make([]uint64, len(s.phases))}
	h := NewHasher(len(s.functions))
	if len(s.functions) > 0 {
		d.Calls = make([]uint64, len(s.functions))
	}
	st := s.Stream()
	for a, ok := st.Next(); ok; a, ok = st.Next() {
		if a.Index%(1<<16) == 0 && ctx.Err() != nil {
			return Digest{}, fmt.Errorf("hashing the schedule: %w", ctx.Err())
		}
		h.Add(a)
		d.Counts[a.Phase]++
		if d.Calls != nil {
			d.Calls[a.Function]++
		}
		d.Planned++
	}
	d.Hash = h.Sum()
	return d, nil
}

// Hash is Digest's hash; it walks up to MaxHashed arrivals each time it is asked.
func (s *Schedule) Hash() string {
	d, _ := s.Digest(context.Background()) // fails only by its context
	return d.Hash
}

// paramsHash covers everything the arrivals are computed from, and nothing else:
// names of phases do not move an arrival.
func (s *Schedule) paramsHash() string {
	h := sha256.New()
	if s.source != nil {
		fmt.Fprintf(h, "seed %d\n", s.seed)
		s.source.describe(h)
	} else {
		fmt.Fprintf(h, "law %v\nseed %d\n", s.law, s.seed)
	}
	if s.whole != nil {
		fmt.Fprintf(h, "until %d\n", s.limit)
	}
	if s.own {
		fmt.Fprintln(h, "own streams")
	}
	for _, f := range s.functions {
		fmt.Fprintf(h, "function %v\n", f.Share)
	}
	for _, p := range s.phases {
		fmt.Fprintf(h, "%d ns %v\n", p.Length.Nanoseconds(), p.Curve)
	}
	return paramsPrefix + hex.EncodeToString(h.Sum(nil))
}

// A Hasher computes Digest's hash while arrivals stream by.
type Hasher struct {
	hash    hash.Hash
	buf     []byte
	several bool
}

// row is the most bytes an arrival is hashed as.
const row = 16

// NewHasher hashes nothing yet, of arrivals of so many functions.
func NewHasher(functions int) *Hasher {
	return &Hasher{hash: sha256.New(), buf: make([]byte, 0, row*512), several: functions > 1}
}

// Add takes the next arrival. It does not allocate.
func (h *Hasher) Add(a Arrival) {
	if len(h.buf)+row > cap(h.buf) {
		h.hash.Write(h.buf)
		h.buf = h.buf[:0]
	}
	h.buf = binary.LittleEndian.AppendUint32(h.buf, uint32(a.Phase))
	h.buf = binary.LittleEndian.AppendUint64(h.buf, uint64(a.At))
	if h.several {
		h.buf = binary.LittleEndian.AppendUint32(h.buf, uint32(a.Function))
	}
}

// Sum is the hash of all arrivals added so far; more may follow.
func (h *Hasher) Sum() string {
	h.hash.Write(h.buf)
	h.buf = h.buf[:0]
	return hex.EncodeToString(h.hash.Sum(nil))
}
