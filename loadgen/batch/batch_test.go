package batch

import (
	"context"
	"os"
	"sync/atomic"
	"testing"

	"edgebench/analysis"
	"edgebench/analysis/qpn/twin"
	"edgebench/profiles"
)

// simulator makes real run directories, by the twin, in milliseconds.
type simulator struct {
	runs   atomic.Int32
	before func(ctx context.Context, n int32) error // of each run; nil for nothing
}

func (s *simulator) Run(ctx context.Context, profile, dir string, seed uint64) (string, analysis.Verdict, error) {
	n := s.runs.Add(1)
	if s.before != nil {
		if err := s.before(ctx, n); err != nil {
			return "", "", err
		}
	}
	p, err := profiles.Load(profile)
	if err != nil {
		return "", "", err
	}
	p.Seed = seed
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", "", err
	}
	run, err := twin.Trial{Profile: p, Phase: -1}.Record(ctx, dir, "test", nil)
	return run, analysis.Valid, err
}

func planOf(t testing.TB, text string) *Plan {
	t.Helper()
	b, err := profiles.ParseBatch("b.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(b, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const small = `
name: small
profiles: [bursty-ramp-quick]
policies: [ewma, reactive]
trials: 4
cooldown: 0s
`
