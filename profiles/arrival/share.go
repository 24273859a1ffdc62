package arrival

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxShares bounds the generators of one schedule.
const MaxShares = 1000

// A Share is what one of several generators plays of a schedule: of Of
// generators, number Index sends the requests k with k mod Of = Index − 1. The
// shares of one schedule are disjoint and make the whole. The zero value is all
// of it.
type Share struct {
	Index int `json:"index"` // 1 … Of; 0 with Of 0
	Of    int `json:"of"`    // 1 … MaxShares; 0 for all
}

// ParseShare reads "2/3", the second of three.
func ParseShare(text string) (Share, error) {
	first, second, found := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(first)
	of, err2 := strconv.Atoi(second)
	if !found || err1 != nil || err2 != nil || of < 1 || of > MaxShares || index < 1 || index > of {
		return Share{}, fmt.Errorf("share %q: want the number of this generator and how many there are, as 1/3 (at most %d)", text, MaxShares)
	}
	return Share{index, of}, nil
}

// Whole reports whether the share is all of the schedule.
func (s Share) Whole() bool { return s.Of <= 1 }

func (s Share) String() string { return fmt.Sprintf("%d/%d", max(s.Index, 1), max(s.Of, 1)) }

// Has reports whether a request belongs to the share.
func (s Share) Has(index uint64) bool {
	return s.Whole() || index%uint64(s.Of) == uint64(s.Index-1)
}

// Position is the place of a request among those of its share, from 0.
func (s Share) Position(index uint64) uint64 { return index / uint64(max(s.Of, 1)) }

// Before is how many of the requests 0 … end−1 belong to the share.
func (s Share) Before(end uint64) uint64 {
	if s.Whole() {
		return end
	}
	return (end + uint64(s.Of-s.Index)) / uint64(s.Of)
}

// Part splits a total over the shares, the first ones taking what is left over.
func (s Share) Part(total int) int {
	if s.Whole() {
		return total
	}
	part := total / s.Of
	if s.Index <= total%s.Of {
		part++
	}
	return part
}

// Rate is what the share has of a rate.
func (s Share) Rate(whole float64) float64 { return whole / float64(max(s.Of, 1)) }
