package main

import (
	"context"
	"fmt"
	"time"

	"edgebench/loadgen/peers/measure"
	"edgebench/loadgen/peers/tool"
	"edgebench/loadgen/peers/witness"
	"edgebench/profiles/arrival"
)

// Keys of what a witness saw of random arrivals.
const (
	keyKS  = "ks_distance"
	keySCV = "scv"
)

// h2P and h2SCV are the H2 law of the study.
const (
	h2P   = 0.2
	h2SCV = 2.125
)

// laws asks a witness whether random arrivals of ours follow their law. No
// peer has any.
var laws = part{
	name: "laws",
	once: true,
	cost: func(o options) time.Duration {
		return alone(o, 2*o.plan.law+o.plan.scv+3*perRun)
	},
	play: func(ctx context.Context, b *bench) {
		t, present := ours(b.present())
		if !present {
			return
		}
		h2, err := arrival.NewH2(h2P, h2SCV)
		if err != nil {
			b.note(ctx, Record{Part: "laws", Tool: tool.Ours}, err)
			return
		}
		h2Setting := fmt.Sprintf("arrivals={h2: {p: %v, scv: %v}}", h2P, h2SCV)
		for _, c := range []struct {
			law, setting string
			rate         int
			length       time.Duration
			cdf          measure.CDF
		}{
			{"poisson", "arrivals=poisson", lawRate, b.plan.law, measure.Exponential},
			{"h2", h2Setting, lawRate, b.plan.law, measure.Hyperexponential(h2)},
			{"h2", h2Setting, scvRate, b.plan.scv, measure.Hyperexponential(h2)},
		} {
			r, seen, err := b.observe(ctx, "laws", t, tool.Load{Rate: c.rate, Length: c.length, Settings: []string{c.setting}}, witness.Plan{})
			if r.Law = c.law; err == nil {
				r.Values, err = lawOf(seen, c.rate, c.cdf)
			}
			b.note(ctx, r, err)
		}
	},
}

// lawOf compares the gaps of arrivals with a law.
func lawOf(seen witness.Arrivals, rate int, cdf measure.CDF) (map[string]float64, error) {
	gaps := measure.Gaps(seen.UnixNS)
	if len(gaps) < 2 {
		return nil, fmt.Errorf("the witness saw %d requests", len(seen.UnixNS))
	}
	return map[string]float64{
		keyKS: measure.KS(gaps, time.Second/time.Duration(rate), cdf), keySCV: measure.SCV(gaps), keyArrivals: float64(len(seen.UnixNS)),
	}, nil
}
