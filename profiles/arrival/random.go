package arrival

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// Random is the random stream of one concern of a run: a PCG whose two state
// words are the first 16 bytes (big endian) of SHA-256(seed as 8 bytes big
// endian ‖ concern). Streams of different concerns are independent, so that a
// new user of random numbers never shifts the arrivals. Arrivals use the concern
// "arrivals".
func Random(seed uint64, concern string) *rand.PCG {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), concern...))
	return rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))
}

// uniform is in (0, 1], a multiple of 2⁻⁵³: never 0, so that its logarithm is finite.
func uniform(src *rand.PCG) float64 {
	return float64(src.Uint64()>>11+1) * 0x1p-53
}

// exponential has unit mean, by inversion.
func exponential(src *rand.PCG) float64 { return -logarithm(uniform(src)) }

// logarithm is the natural logarithm of a normal x > 0, within 2⁻⁵¹ of
// max(1, |ln x|). With x = 2ᵉ·m, √½ < m ≤ √2 and f = (m−1)/(m+1), |f| < 0.172:
// ln x = e·ln 2 + 2·artanh f, and artanh's series f·Σ f²ⁱ/(2i+1) is below
// rounding after the term i = 10. Every product is rounded on its own, so that no
// processor fuses it with the sum (see the package comment).
func logarithm(x float64) float64 {
	bits := math.Float64bits(x)
	e := int(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		e++
	}
	f := (m - 1) / (m + 1)
	s := float64(f * f)
	q := float64(s * s)
	// Even and odd powers of s apart: two short chains run side by side.
	even := 1.0 / 21
	even = float64(even*q) + 1.0/17
	even = float64(even*q) + 1.0/13
	even = float64(even*q) + 1.0/9
	even = float64(even*q) + 1.0/5
	odd := 1.0 / 19
	odd = float64(odd*q) + 1.0/15
	odd = float64(odd*q) + 1.0/11
	odd = float64(odd*q) + 1.0/7
	odd = float64(odd*q) + 1.0/3
	series := float64(float64(even*q) + float64(odd*s))
	return float64(float64(e)*math.Ln2) + (2*f + float64(2*f*series))
}
