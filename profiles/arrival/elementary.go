package arrival

import "math"

// The functions below replace the library's for the reason the package comment
// gives: theirs differ between architectures in the last bits.

// exponent is eˣ for |x| ≤ 700, beyond which it stays at the ends, to a few
// units in the last place: x = k·ln 2 + r with |r| ≤ ½ ln 2, and the series of eʳ
// is below rounding after r¹³/13!. ln 2 is taken in two parts, so that r is exact.
func exponent(x float64) float64 {
	const (
		high = 0x1.62e42fefap-1
		low  = math.Ln2 - high
	)
	x = max(-700, min(x, 700))
	k := math.Round(x / math.Ln2)
	r := (x - float64(k*high)) - float64(k*low)
	p := 1.0 / 6227020800
	for _, c := range [...]float64{
		1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
		1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
	} {
		p = float64(p*r) + c
	}
	return float64(p * math.Float64frombits(uint64(int64(k)+1023)<<52))
}

// turn is sin and cos of 2πx for finite x of any size: quarter turns are taken off
// exactly, and the series of what is left, |z| ≤ π/4, are below rounding after the
// last terms here. Small sines keep their relative precision.
func turn(x float64) (sine, cosine float64) {
	x -= math.Floor(x)
	quarter := math.Round(x * 4)
	z := float64(2 * math.Pi * (x - float64(quarter/4)))
	s := float64(z * z)
	sine, cosine = float64(z*sineNear(s)), cosineNear(s)
	switch int(quarter) % 4 {
	case 1:
		return cosine, -sine
	case 2:
		return -sine, -cosine
	case 3:
		return -cosine, sine
	}
	return sine, cosine
}

// cosineNear is cos z for s = z².
func cosineNear(s float64) float64 {
	p := 1.0 / 20922789888000
	for _, c := range [...]float64{-1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1} {
		p = float64(p*s) + c
	}
	return p
}

// sineNear is sin z / z for s = z².
func sineNear(s float64) float64 {
	p := -1.0 / 1307674368000
	for _, c := range [...]float64{1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1} {
		p = float64(p*s) + c
	}
	return p
}

// logGamma is ln Γ(x) for x > 0, by Stirling's series from 10 on (to 1e-14) and
// Γ(x) = Γ(x+1)/x below.
func logGamma(x float64) float64 {
	product := 1.0
	for x < 10 {
		product = float64(product * x)
		x++
	}
	s := 1 / float64(x*x)
	p := -691.0 / 360360
	for _, c := range [...]float64{1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12} {
		p = float64(p*s) + c
	}
	const halfLog2Pi = 0.918938533204672741780329736405617639861397473637783412817
	return float64((x-0.5)*logarithm(x)) - x + halfLog2Pi + p/x - logarithm(product)
}
