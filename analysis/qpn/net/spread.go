package net

import "math"

// spread counts response times in buckets that are 1/128 of a power of two
// wide, so that a quantile is right within 0.8 %. Times outside 2⁻²⁴..2²⁴ are
// counted at the ends; the extremes are kept exactly.
type spread struct {
	count []uint32
	n     uint64
	most  float64
}

const (
	spreadBits = 7
	spreadLow  = 1023 - 24 // biased exponents
	spreadHigh = 1023 + 24
)

func (s *spread) clear() {
	if s.count == nil {
		s.count = make([]uint32, (spreadHigh-spreadLow+1)<<spreadBits)
	}
	clear(s.count)
	s.n, s.most = 0, 0
}

func (s *spread) add(x float64) {
	// The top bits of a float are its exponent and then its leading digits: they
	// are the bucket.
	i := int(math.Float64bits(x)>>(52-spreadBits)) - spreadLow<<spreadBits
	s.count[min(max(i, 0), len(s.count)-1)]++
	s.n++
	s.most = max(s.most, x)
}

// quantile returns the middle of the bucket of the q-quantile.
func (s *spread) quantile(q float64) float64 {
	rank, seen := uint64(math.Ceil(q*float64(s.n))), uint64(0)
	for i, c := range s.count {
		if seen += uint64(c); seen >= rank && seen > 0 {
			low := math.Float64frombits(uint64(i+spreadLow<<spreadBits) << (52 - spreadBits))
			high := math.Float64frombits(uint64(i+1+spreadLow<<spreadBits) << (52 - spreadBits))
			return min((low+high)/2, s.most)
		}
	}
	return math.NaN()
}
