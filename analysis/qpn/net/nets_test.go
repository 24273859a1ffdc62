package net_test

import (
	"fmt"
	"math"
	"testing"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/net"
)

func law[L dist.Law](l L, err error) dist.Law {
	if err != nil {
		panic(err)
	}
	return l
}

func exponential(rate float64) dist.Law { return law(dist.NewExponential(1 / rate)) }
func h2(rate float64) dist.Law          { return law(dist.NewH2(1/rate, 0.2, 2.125)) }

// shorter makes a long run an eighth of itself under -short.
func shorter(n int) int {
	if testing.Short() {
		return n / 8
	}
	return n
}

// within is a relative tolerance that allows for shorter runs.
func within(got, want, tolerance float64) bool {
	if testing.Short() {
		tolerance *= 3 // √8
	}
	return math.Abs(got/want-1) <= tolerance
}

func arc(place string) net.Arc   { return net.Arc{Place: place, Colour: "request"} }
func plain(place string) net.Arc { return net.Arc{Place: place, Colour: "token"} }

var colours = []net.Colour{{Name: "request"}, {Name: "token", Plain: true}}

// single is one queueing place: source, queue, sink.
func single(gap dist.Law, d net.Discipline, servers int, service dist.Law) *net.Net {
	return &net.Net{
		Name:    "single",
		Colours: colours,
		Places: []net.Place{{Name: "queue", Queue: &net.Queue{
			Discipline: d, Servers: servers, Service: []net.Service{{Colour: "request", Law: service}}}}},
		Transitions: []net.Transition{
			{Name: "arrive", Law: gap, Modes: []net.Mode{{Out: []net.Arc{arc("queue")}}}},
			{Name: "depart", Modes: []net.Mode{{In: []net.Arc{arc("queue")}}}},
		},
	}
}

// cls is concurrency-level scaling with n instances of k tokens.
func cls(gap dist.Law, n, k, servers int, choose net.Choice) *net.Net {
	out := &net.Net{Name: "cls", Colours: colours, Places: []net.Place{{Name: "front"}}}
	admit := net.Transition{Name: "admit", Choose: choose}
	for i := range n {
		tokens, instance := fmt.Sprintf("token[%d]", i+1), fmt.Sprintf("instance[%d]", i+1)
		out.Places = append(out.Places,
			net.Place{Name: tokens, Initial: []net.Tokens{{Colour: "token", N: k}}},
			net.Place{Name: instance, Queue: &net.Queue{Servers: servers, Service: []net.Service{{Colour: "request", Law: exponential(3)}}}})
		admit.Modes = append(admit.Modes, net.Mode{
			In: []net.Arc{arc("front"), plain(tokens)}, Out: []net.Arc{arc(instance)}, Least: instance})
		out.Transitions = append(out.Transitions, net.Transition{
			Name:  fmt.Sprintf("finish[%d]", i+1),
			Modes: []net.Mode{{In: []net.Arc{arc(instance)}, Out: []net.Arc{plain(tokens)}}}})
	}
	out.Transitions = append(out.Transitions, admit,
		net.Transition{Name: "arrive", Law: gap, Modes: []net.Mode{{Out: []net.Arc{arc("front")}}}})
	return out
}

func compile(tb testing.TB, n *net.Net) *net.Program {
	tb.Helper()
	p, err := net.Compile(n)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func run(tb testing.TB, n *net.Net, seed uint64, plan net.Plan) *net.Observation {
	tb.Helper()
	s := compile(tb, n).New(seed)
	if err := s.Run(tb.Context(), plan); err != nil {
		tb.Fatal(err)
	}
	return s.Observe()
}
