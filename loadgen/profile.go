package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
	"edgebench/target/dispatch"
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

// knownPolicy asks the registries of policies and dispatch rules, which a profile
// does not know: better now than when the node refuses it.
func knownPolicy(p *profiles.Profile) error {
	b := p.Target.Bundled
	if b == nil {
		return nil
	}
	var faults []error
	specs := policy.Specs()
	at := slices.IndexFunc(specs, func(s policy.Spec) bool { return s.Name == b.Policy.Name })
	if at < 0 {
		faults = append(faults, errors.New("target.bundled.policy: "+profiles.UnknownName("policy", b.Policy.Name, policyNames())))
	} else {
		faults = policyFaultsOf(specs[at], b)
	}
	if rule, _, _ := strings.Cut(b.Dispatch, ":"); rule != "" && !slices.Contains(dispatchNames(), rule) {
		faults = append(faults, errors.New("target.bundled.dispatch: "+profiles.UnknownName("rule", rule, dispatchNames())))
	} else if _, err := dispatch.New(b.Dispatch, p.Seed); err != nil {
		faults = append(faults, fmt.Errorf("target.bundled.dispatch: %w", err))
	}
	if len(faults) > 0 {
		return exitError{exitUsage, errors.Join(faults...)}
	}
	return nil
}

// policyFaultsOf are those of its parameters.
func policyFaultsOf(s policy.Spec, b *profiles.Bundled) (faults []error) {
	var known []string
	for _, p := range s.Params {
		known = append(known, p.Name)
	}
	good := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(b.Policy.Params)) {
		if slices.Contains(known, name) {
			good[name] = b.Policy.Params[name]
			continue
		}
		faults = append(faults, fmt.Errorf("target.bundled.policy.%s: %s", s.Name, profiles.UnknownName("parameter", name, known)))
	}
	if _, err := policy.New(s.Name, good, b.Workers); err != nil {
		faults = append(faults, fmt.Errorf("target.bundled.policy: %w", err))
	}
	return faults
}

func policyNames() []string {
	var names []string
	for _, s := range policy.Specs() {
		names = append(names, s.Name)
	}
	return names
}

func dispatchNames() []string {
	var names []string
	for _, s := range dispatch.Specs() {
		names = append(names, s.Name)
	}
	return names
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
