package cold

// A Confusion is what a threshold makes of answers whose truth is known.
type Confusion struct {
	ThresholdNS   int64  `json:"threshold_ns"`
	TruePositive  uint64 `json:"true_positive"`  // cold, above the threshold
	FalsePositive uint64 `json:"false_positive"` // warm, above it
	FalseNegative uint64 `json:"false_negative"` // cold, not above it
	TrueNegative  uint64 `json:"true_negative"`

	Precision *float64 `json:"precision"`  // null when nothing is above
	Recall    *float64 `json:"recall"`     // null when nothing was cold
	FalseRate *float64 `json:"false_rate"` // warm answers taken for cold, of the warm; null without any
	MissRate  *float64 `json:"miss_rate"`  // cold answers missed, of the cold; null without any
}

// Judge holds a threshold against the truth. It is exact for thresholds on the
// edge of a bar, as Find's are.
func Judge(cold, warm []Bar, threshold int64) Confusion {
	above := func(bars []Bar) (over, under uint64) {
		for _, b := range bars {
			if b.Low > threshold {
				over += b.N
			} else {
				under += b.N
			}
		}
		return over, under
	}
	c := Confusion{ThresholdNS: threshold}
	c.TruePositive, c.FalseNegative = above(cold)
	c.FalsePositive, c.TrueNegative = above(warm)
	c.Precision = share(c.TruePositive, c.TruePositive+c.FalsePositive)
	c.Recall = share(c.TruePositive, c.TruePositive+c.FalseNegative)
	c.FalseRate = share(c.FalsePositive, c.FalsePositive+c.TrueNegative)
	c.MissRate = share(c.FalseNegative, c.TruePositive+c.FalseNegative)
	return c
}

func share(part, whole uint64) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}

// Best is the threshold with the least sum of both error rates (Youden 1950),
// the lowest of several; false unless both kinds are there.
func Best(cold, warm []Bar) (Confusion, bool) {
	var nc, nw, missed, right uint64
	for _, b := range cold {
		nc += b.N
	}
	for _, b := range warm {
		nw += b.N
	}
	if nc == 0 || nw == 0 {
		return Confusion{}, false
	}
	// Below all values every answer is cold: no miss, all warm ones false.
	at, least := int64(-1), 1.0
	if len(cold) > 0 && len(warm) > 0 {
		at = min(cold[0].Low, warm[0].Low) - 1
	}
	for i, k := 0, 0; i < len(cold) || k < len(warm); {
		var edge int64
		if k == len(warm) || i < len(cold) && cold[i].High <= warm[k].High {
			edge = cold[i].High
		} else {
			edge = warm[k].High
		}
		for ; i < len(cold) && cold[i].High <= edge; i++ {
			missed += cold[i].N
		}
		for ; k < len(warm) && warm[k].High <= edge; k++ {
			right += warm[k].N
		}
		if sum := float64(missed)/float64(nc) + float64(nw-right)/float64(nw); sum < least {
			at, least = edge, sum
		}
	}
	return Judge(cold, warm, at), true
}
