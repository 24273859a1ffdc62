package model

import (
	"fmt"
	"os"
	"slices"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/jsim"
	"edgebench/analysis/qpn/net"
)

// loadJSIM reads a model of the Java Modelling Tools. Its arrival rate is the sum
// over its sources; another rate scales them all. Its capacity is not known.
func loadJSIM(name string) (*qpn.Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	defer f.Close()
	n, err := jsim.Import(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m := &qpn.Model{Name: n.Name, Description: "imported from " + name}
	for _, t := range n.Transitions {
		if isSource(t) {
			m.Lambda += 1 / t.Law.Mean()
		}
	}
	m.Net = func(lambda float64) (*net.Net, error) { return atRate(n, lambda/m.Lambda) }
	if m.Lambda == 0 { // closed: there is no rate to change
		m.Lambda = 1
		m.Net = func(float64) (*net.Net, error) { return n, nil }
	}
	return m, nil
}

func isSource(t net.Transition) bool {
	return t.Law != nil && !slices.ContainsFunc(t.Modes, func(m net.Mode) bool { return len(m.In) > 0 })
}

// atRate returns the net with every arrival rate multiplied.
func atRate(n *net.Net, factor float64) (*net.Net, error) {
	scaled := *n
	scaled.Transitions = slices.Clone(n.Transitions)
	for i, t := range scaled.Transitions {
		if !isSource(t) {
			continue
		}
		law, err := dist.NewScaled(t.Law, 1/factor)
		if err != nil {
			return nil, err
		}
		scaled.Transitions[i].Law = law
	}
	return &scaled, nil
}
