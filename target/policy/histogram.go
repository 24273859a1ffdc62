package policy

import (
	"math"
	"time"
)

// idleHistogram counts idle times in bins of one width; those beyond the last
// bin are counted apart.
type idleHistogram struct {
	width   time.Duration
	bins    []int
	inside  int
	outside int
	squares float64 // sum of the squared counts
}

func (h *idleHistogram) add(idle time.Duration) {
	i := idle / h.width
	if i >= time.Duration(len(h.bins)) {
		h.outside++
		return
	}
	i = max(i, 0)
	h.squares += float64(2*h.bins[i] + 1)
	h.bins[i]++
	h.inside++
}

// variation is the coefficient of variation of the counts: high where idle
// times are alike, 0 where they are spread over all bins.
func (h *idleHistogram) variation() float64 {
	if h.inside == 0 {
		return 0
	}
	n := float64(len(h.bins))
	mean := float64(h.inside) / n
	return math.Sqrt(max(0, h.squares/n-mean*mean)) / mean
}

// quantile is the bin that holds quantile q of the idle times inside.
func (h *idleHistogram) quantile(q float64) int {
	rank := max(1, int(math.Ceil(q*float64(h.inside)*(1-1e-9))))
	sum := 0
	for i, n := range h.bins {
		if sum += n; sum >= rank {
			return i
		}
	}
	return len(h.bins) - 1
}

// span is the range that the bins cover.
func (h *idleHistogram) span() time.Duration { return time.Duration(len(h.bins)) * h.width }
