package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/qpn/twin"
	"edgebench/profiles"
	"edgebench/target/policy"
)

// A simPoint is one of the things a simulation sets side by side.
type simPoint struct {
	policy  string // as given
	value   string // of the key that varies, empty without one
	profile *profiles.Profile
	report  *simReport // nil until it is played
}

// simPoints resolves every point before any is played. policies is a list, all or
// empty for the profile's own; vary is KEY=VALUE,VALUE… or empty.
func simPoints(profile string, sets []string, policies, vary string) ([]simPoint, error) {
	key, list, varies := strings.Cut(vary, "=")
	values := []string{""}
	if vary != "" {
		if values = splitFlow(list); !varies || key == "" || list == "" {
			return nil, exitError{exitUsage, fmt.Errorf("--vary %q: want KEY=VALUE,VALUE, for example phases.warmup.for=5s,35s", vary)}
		}
	}
	names := splitFlow(policies)
	if policies == "all" {
		names = simulated()
	}
	var (
		points []simPoint
		wrong  []error
	)
	for _, name := range names {
		for _, value := range values {
			with := sets
			if policies != "" {
				with = append(with[:len(with):len(with)], "target.bundled.policy="+name)
			}
			if vary != "" {
				with = append(with[:len(with):len(with)], key+"="+value)
			}
			p, err := loadProfile(profile, with)
			if err == nil && p.Target.Bundled == nil {
				err = exitError{exitUsage, twin.ErrNotBundled}
			}
			if err != nil {
				wrong = append(wrong, err)
				continue
			}
			if name == "" {
				name = p.Target.Bundled.Policy.Name
			}
			points = append(points, simPoint{policy: name, value: value, profile: p})
		}
	}
	switch {
	case len(wrong) == 1:
		return nil, wrong[0]
	case len(wrong) > 1:
		return nil, exitError{exitUsage, errors.Join(wrong...)}
	}
	return points, nil
}

// simulated are all policies that differ in the twin: it fits every forecast by
// our own ARIMA, so one that is fitted by another program would show twice.
func simulated() []string {
	var names []string
	for _, s := range policy.Specs() {
		if s.Fitter == "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// splitFlow splits at commas that are inside no braces or brackets.
func splitFlow(list string) []string {
	var words []string
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				words = append(words, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	return append(words, strings.TrimSpace(list[from:]))
}

// slug names the point in a folder's name.
func (p simPoint) slug() string {
	text := p.profile.Name + "-" + p.policy
	if p.value != "" {
		text += "-" + p.value
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' || r == '_' || r == '-')
	})
	return strings.Join(words, "-")
}

func (p simPoint) progress(points int) string {
	if points == 1 {
		return ""
	}
	return strings.TrimSpace(p.policy+" "+p.value) + ": "
}

// published is what the study says of the point.
func (p simPoint) published() (analysis.Published, bool) {
	warmup := time.Duration(0)
	for _, ph := range p.profile.Phases {
		if ph.Name == "warmup" {
			warmup = ph.For
		}
	}
	b := p.profile.Target.Bundled
	if len(b.Policy.Params) > 0 {
		return analysis.Published{}, false
	}
	return analysis.PublishedFor(p.profile.Name, b.Policy.Name, warmup)
}

// simWarnings are what the twin leaves out of any of the points, each once.
func simWarnings(points []simPoint) (all []string) {
	for _, p := range points {
		for _, w := range (twin.Trial{Profile: p.profile}).Warnings() {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}
