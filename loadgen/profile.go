package main

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
	"edgebench/target/policy"
)

// loadProfile reads a profile by file or embedded name with --set applied.
func loadProfile(name string, sets []string) (*profiles.Profile, error) {
	parsed, err := parseSets(sets)
	if err != nil {
		return nil, err
	}
	p, err := profiles.LoadWith(name, parsed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exitError{exitUsage, err}
	}
	if err != nil {
		return nil, err
	}
	if r := p.Arrivals.Replay; r != nil {
		if p.Recorded, err = rundir.ReadReplay(r.Run, r.Speed, r.Scale); err != nil {
			return nil, exitError{exitUsage, fmt.Errorf("arrivals.replay: %w", err)}
		}
	}
	return p, knownPolicy(p)
}

// knownPolicy asks the registry of policies, which a profile does not know:
// better now than when the node refuses it.
func knownPolicy(p *profiles.Profile) error {
	b := p.Target.Bundled
	if b == nil {
		return nil
	}
	if _, err := policy.New(b.Policy.Name, b.Policy.Params, b.Workers); err != nil {
		return exitError{exitUsage, fmt.Errorf("target.bundled.policy: %w", err)}
	}
	return nil
}

func parseSets(sets []string) ([]profiles.Set, error) {
	var (
		parsed []profiles.Set
		wrong  []error
	)
	for _, text := range sets {
		set, err := profiles.ParseSet(text)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		parsed = append(parsed, set)
	}
	if len(wrong) > 0 {
		return nil, exitError{exitUsage, errors.Join(wrong...)}
	}
	return parsed, nil
}

func asFaults(err error, faults *profiles.Faults) bool { return errors.As(err, faults) }

// clock prints a duration as people read one: 5m09s, 20.6s.
func clock(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	d = d.Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm%02ds", d/time.Hour, d%time.Hour/time.Minute, d%time.Minute/time.Second)
}
