package experiment

import (
	"fmt"
	"math"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/engine"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// mostRows is how many rows a second are kept when a profile leaves the choice
// to us: a core compresses some 500,000, and 10 h of 20,000 make 10 GB.
const mostRows = 20_000

// rowEvery is of how many requests one row is kept, 1 for all.
func rowEvery(p *profiles.Profile, s *arrival.Schedule, share arrival.Share) int {
	if p.RowEvery > 0 {
		return p.RowEvery
	}
	return max(1, int(math.Ceil(share.Rate(engine.Peak(s.Phases()))/mostRows)))
}

// paced fills in when requests are sent, by how many shards, and whose rows
// are kept.
func paced(c engine.Config, p *profiles.Profile, s *arrival.Schedule) engine.Config {
	c.Shards, c.RowEvery = p.Shards, rowEvery(p, s, c.Share)
	c.Precision = engine.Precision{Quantum: p.Precision.Quantum, Spin: p.Precision.Kind == "spin"}
	c.Late = engine.Late{Drop: p.Late.After, Cap: p.Late.Percent / 100}
	return c
}

// pacingFacts are what the manifest tells of it.
func pacingFacts(limits map[string]any, p *profiles.Profile, every int) {
	limits["row_every"] = every
	limits["precision"] = p.Precision.Kind
	if q := p.Precision.Quantum; q > 0 {
		limits[rundir.LimitQuantum] = int64(q)
	}
	late := p.Late.Kind
	switch late {
	case "drop":
		late = fmt.Sprintf("drop after %v", p.Late.After)
	case "capped":
		late = fmt.Sprintf("capped at %g %%", p.Late.Percent)
	}
	limits["late"] = late
}
