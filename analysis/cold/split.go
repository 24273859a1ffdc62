// Package cold tells warm answers from cold ones by their service times alone:
// whether a distribution has two crowds, and where between them a threshold
// belongs. It refuses a threshold where there is no valley to put it in. It
// guesses: where the target marks its cold starts, the mark is the truth.
package cold

import (
	"math"
	"sort"
)

// A Bar is N values between Low and High ns, a bar of a histogram. Bars come in
// order of value and do not overlap.
type Bar struct {
	Low, High int64
	N         uint64
}

// What a split has to be for a threshold to be proposed.
const (
	// MinD: Ashman's D of two normal crowds that are just told apart (Ashman,
	// Bird and Zepf 1994).
	MinD = 2

	// MaxValley: values near the threshold, of those near the median of the
	// smaller crowd. Half as many is still a shoulder, not a gap.
	MaxValley = 0.25

	// MinRatio of the crowds' medians: closer together they are two speeds of a
	// warm answer, not a start.
	MinRatio = 1.2

	// MinCrowd: fewer values are stragglers.
	MinCrowd = 3

	// FewInCrowd and FewNear: so few, or so thin a crowd around its median, may be
	// the end of a tail, which thins out by itself. They are a crowd when the gap before them, on the logarithm, is MinGap times as
	// wide as their own standard deviation, and half MinGap times that of the others.
	FewInCrowd = 50
	FewNear    = 10
	MinGap     = 3.0

	// near is how far from a value others count as near it, as a share.
	near = 0.05
)

// A Split is two crowds on the logarithm of the service time, the scale on
// which a crowd's width is a share of its size.
type Split struct {
	N uint64 `json:"n"`
	// ThresholdNS lies in the valley: cold is above it. Null where there is none.
	ThresholdNS *int64 `json:"threshold_ns"`
	Why         string `json:"why,omitempty"` // why there is none

	Low  Crowd `json:"low"`
	High Crowd `json:"high"`

	AshmanD     float64 `json:"ashman_d"`    // √2·|μ₁ − μ₂| / √(σ₁² + σ₂²); above 2 the crowds are apart; capped at 1000
	Valley      float64 `json:"valley"`      // 0 empty, 1 no valley
	Explained   float64 `json:"explained"`   // Otsu's share of the variance that lies between the crowds
	Coefficient float64 `json:"coefficient"` // SAS's bimodality coefficient; 5/9 for a uniform law, 1 for two points

	tail bool // the smaller crowd looks like the end of the other's tail
}

// A Crowd is the values on one side.
type Crowd struct {
	N        uint64 `json:"n"`
	MedianNS int64  `json:"median_ns"`
}

// maxD stands for crowds without any width.
const maxD = 1000

// Find splits a distribution where Otsu's criterion (1979), the variance
// between the crowds, is largest among the cuts that lie in a valley; without
// any, it measures the largest of all and proposes nothing. O(bars · log bars).
func Find(bars []Bar) Split {
	s := sums(bars)
	out := Split{N: s.total(), Coefficient: s.coefficient()}
	if out.N < 2*MinCrowd {
		out.Why = "too few values"
		return out
	}
	best, bestCut, found := Split{}, -1, false
	for cut := 1; cut < len(bars); cut++ {
		c := s.at(cut)
		if ok := c.refusal() == ""; bestCut < 0 || ok && !found || ok == found && c.Explained > best.Explained {
			best, bestCut, found = c, cut, ok
		}
	}
	if bestCut < 0 {
		out.Why = "all values are alike"
		return out
	}
	best.N, best.Coefficient, best.Why = out.N, out.Coefficient, best.refusal()
	if found {
		best.ThresholdNS = new(s.deepest(bestCut))
	}
	return best
}

// refusal says why a cut is no threshold, empty when it is one.
func (s *Split) refusal() string {
	switch {
	case s.Low.N < MinCrowd || s.High.N < MinCrowd, s.tail:
		return "one crowd and a few stragglers"
	case s.Valley > MaxValley:
		return "one crowd: no valley between fast and slow"
	case float64(s.High.MedianNS) < MinRatio*float64(s.Low.MedianNS):
		return "two crowds too close together"
	case s.AshmanD < MinD:
		return "one broad crowd"
	}
	return ""
}

// cumulated sums over the bars before each place.
type cumulated struct {
	bars       []Bar
	logs       []float64 // ln of the middle of each bar
	n, x, xx   []float64 // count, Σ ln v, Σ (ln v)²
	mean, base float64
}

func sums(bars []Bar) *cumulated {
	s := &cumulated{bars: bars, logs: make([]float64, len(bars))}
	s.n, s.x, s.xx = make([]float64, len(bars)+1), make([]float64, len(bars)+1), make([]float64, len(bars)+1)
	if len(bars) > 0 {
		s.base = math.Log(max(middle(bars[len(bars)/2]), 1)) // near the data, to keep the digits of squares
	}
	for i, b := range bars {
		l := math.Log(max(middle(b), 1)) - s.base
		s.logs[i] = l
		n := float64(b.N)
		s.n[i+1], s.x[i+1], s.xx[i+1] = s.n[i]+n, s.x[i]+n*l, s.xx[i]+n*l*l
	}
	if n := s.n[len(bars)]; n > 0 {
		s.mean = s.x[len(bars)] / n
	}
	return s
}

func middle(b Bar) float64 { return (float64(b.Low) + float64(b.High)) / 2 }

func (s *cumulated) total() uint64 { return uint64(s.n[len(s.bars)]) }

// at measures the cut before bar k.
func (s *cumulated) at(k int) Split {
	last := len(s.bars)
	n1, n2 := s.n[k], s.n[last]-s.n[k]
	m1, m2 := s.x[k]/n1, (s.x[last]-s.x[k])/n2
	v1, v2 := max(s.xx[k]/n1-m1*m1, 0), max((s.xx[last]-s.xx[k])/n2-m2*m2, 0)
	out := Split{
		Low:  Crowd{uint64(n1), int64(middle(s.bars[s.median(0, k)]))},
		High: Crowd{uint64(n2), int64(middle(s.bars[s.median(k, last)]))},
	}
	n := n1 + n2
	between := n1 * n2 / (n * n) * (m1 - m2) * (m1 - m2)
	if all := between + (n1*v1+n2*v2)/n; all > 0 {
		out.Explained = between / all
	}
	out.AshmanD = maxD
	if v1+v2 > 0 {
		out.AshmanD = min(math.Sqrt2*(m2-m1)/math.Sqrt(v1+v2), maxD)
	}
	peak := min(s.around(middle(s.bars[s.median(0, k)])), s.around(middle(s.bars[s.median(k, last)])))
	few, others := math.Sqrt(v2), math.Sqrt(v1)
	if n1 < n2 {
		few, others = others, few
	}
	gap := math.Log(float64(s.bars[k].Low) / max(float64(s.bars[k-1].High), 1))
	out.tail = (min(n1, n2) < FewInCrowd || peak < FewNear) && gap < max(MinGap*few, MinGap/2*others)
	out.Valley = min(s.around(s.edge(k))/peak, 1)
	return out
}

// edge is the middle, on the logarithm, between the bars beside a cut.
func (s *cumulated) edge(k int) float64 {
	return math.Sqrt(max(float64(s.bars[k-1].High), 1) * float64(s.bars[k].Low))
}

// median is the bar that holds the middle value of bars from..to.
func (s *cumulated) median(from, to int) int {
	half := (s.n[from] + s.n[to]) / 2
	return from + sort.Search(to-from-1, func(i int) bool { return s.n[from+i+1] >= half })
}

// around counts the values near v.
func (s *cumulated) around(v float64) float64 {
	low := sort.Search(len(s.bars), func(i int) bool { return middle(s.bars[i]) >= v*(1-near) })
	high := sort.Search(len(s.bars), func(i int) bool { return middle(s.bars[i]) > v*(1+near) })
	return s.n[high] - s.n[low]
}

// deepest is the best threshold with the crowds of a cut: where least is near,
// in the widest gap of those. A cut between two bars counts every value exactly,
// since a histogram cannot say where inside a bar its values are.
func (s *cumulated) deepest(cut int) int64 {
	from, to := s.median(0, cut), s.median(cut, len(s.bars))
	best, least, widest := cut, math.Inf(1), 0.0
	for k := from + 1; k <= to; k++ {
		crowd := s.around(s.edge(k))
		gap := float64(s.bars[k].Low) / max(float64(s.bars[k-1].High), 1)
		if crowd < least || crowd == least && gap > widest {
			best, least, widest = k, crowd, gap
		}
	}
	return plain(s.bars[best-1].High, s.bars[best].Low-1, s.edge(best))
}

// plain is the number with the fewest digits between low and high that is
// closest to v: 700 ms reads better than 698.4231 ms and counts the same.
func plain(low, high int64, v float64) int64 {
	for step := math.Pow(10, math.Floor(math.Log10(max(v, 1)))); step >= 1; step /= 10 {
		for _, part := range []float64{step, step / 2} {
			if r := int64(math.Round(v/part) * part); r >= low && r <= high {
				return r
			}
		}
	}
	return min(max(int64(v), low), high)
}

// coefficient is (g² + 1)/(k + 3(n−1)²/((n−2)(n−3))) with the sample skewness g
// and excess kurtosis k (SAS/STAT, PROC CLUSTER); 0 below four values.
func (s *cumulated) coefficient() float64 {
	n := s.n[len(s.bars)]
	if n < 4 {
		return 0
	}
	var m2, m3, m4 float64
	for i, b := range s.bars {
		d, w := s.logs[i]-s.mean, float64(b.N)/n
		m2, m3, m4 = m2+w*d*d, m3+w*d*d*d, m4+w*d*d*d*d
	}
	if m2 == 0 {
		return 0
	}
	g := math.Sqrt(n*(n-1)) / (n - 2) * m3 / math.Pow(m2, 1.5)
	k := (n - 1) / ((n - 2) * (n - 3)) * ((n+1)*(m4/(m2*m2)) - 3*(n-1))
	return (g*g + 1) / (k + 3*(n-1)*(n-1)/((n-2)*(n-3)))
}
