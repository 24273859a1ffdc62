package net_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/net"
)

// countdown is a context that is done after a number of looks.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func contextDoneAfter(t *testing.T, looks int) (context.Context, func()) {
	return &countdown{t.Context(), looks}, func() {}
}

func constant(v float64) dist.Law { return law(dist.NewDeterministic(v)) }

// end runs a net to a time and returns the marking.
func end(t *testing.T, n *net.Net, at float64) net.Marking {
	t.Helper()
	s := compile(t, n).New(1)
	if err := s.Run(t.Context(), net.Plan{Time: at}); err != nil {
		t.Fatal(err)
	}
	return s.Marking()
}

// state is an ordinary place with a number of tokens that are only counted.
func state(name string, n int) net.Place {
	return net.Place{Name: name, Initial: []net.Tokens{{Colour: "token", N: n}}}
}

// clock is a transition that keeps a net alive.
func clock(every float64) net.Transition {
	return net.Transition{Name: "clock", Law: constant(every), Modes: []net.Mode{{}}}
}

func TestImmediate(t *testing.T) {
	t.Parallel()
	move := func(name string, in, out string) net.Transition {
		return net.Transition{Name: name, Modes: []net.Mode{{In: []net.Arc{plain(in)}, Out: []net.Arc{plain(out)}}}}
	}
	for name, c := range map[string]struct {
		edit func(*net.Net)
		want string
	}{
		"priority before weight": {func(n *net.Net) {
			low, high := move("low", "a", "b"), move("high", "a", "c")
			low.Weight, high.Priority = 1000, 1
			n.Transitions = append(n.Transitions, low, high)
		}, "c 10"},
		"inhibitor": {func(n *net.Net) {
			m := move("move", "a", "b")
			m.Modes[0].Inhibit = []net.Arc{{Place: "b", N: 4}}
			n.Transitions = append(n.Transitions, m)
		}, "a 6, b 4"},
		"inhibitor of a colour": {func(n *net.Net) {
			m := move("move", "a", "b")
			m.Modes[0].Inhibit = []net.Arc{{Place: "b", Colour: "token", N: 3}}
			n.Transitions = append(n.Transitions, m)
		}, "a 7, b 3"},
		"capacity": {func(n *net.Net) {
			n.Places[1].Capacity = 7
			n.Transitions = append(n.Transitions, move("move", "a", "b"))
		}, "a 3, b 7"},
		"test arc": {func(n *net.Net) {
			m := move("move", "a", "b")
			m.Modes[0].Test = []net.Arc{{Place: "a", Colour: "token", N: 5}}
			n.Transitions = append(n.Transitions, m)
		}, "a 4, b 6"},
		"several tokens": {func(n *net.Net) {
			m := move("move", "a", "b")
			m.Modes[0].In[0].N = 3
			n.Transitions = append(n.Transitions, m)
		}, "a 1, b 3"},
		"first": {func(n *net.Net) {
			n.Places[1].Capacity = 3
			m := move("move", "a", "b")
			m.Choose, m.Modes = net.First, append(m.Modes, move("", "a", "c").Modes...)
			n.Transitions = append(n.Transitions, m)
		}, "b 3, c 7"},
		"round robin passes over the full": {func(n *net.Net) {
			n.Places[1].Capacity = 3
			m := move("move", "a", "b")
			m.Choose, m.Modes = net.RoundRobin, append(m.Modes, append(move("", "a", "c").Modes, move("", "a", "d").Modes...)...)
			n.Transitions = append(n.Transitions, m)
		}, "b 3, c 4, d 3"},
		"rotation shifts when the list changes": {func(n *net.Net) { // b c b c (b full) d c d c d c
			n.Places[1].Capacity = 2
			m := move("move", "a", "b")
			m.Choose, m.Modes = net.Rotation, append(m.Modes, append(move("", "a", "c").Modes, move("", "a", "d").Modes...)...)
			n.Transitions = append(n.Transitions, m)
		}, "b 2, c 4, d 4"},
		"least": {func(n *net.Net) {
			n.Places[2].Initial = []net.Tokens{{Colour: "token", N: 4}}
			m := move("move", "a", "b")
			m.Choose, m.Modes = net.Least, append(m.Modes, move("", "a", "c").Modes...)
			m.Modes[0].Least, m.Modes[1].Least = "b", "c"
			n.Transitions = append(n.Transitions, m)
		}, "b 7, c 7"},
		"marking-dependent weight": {func(n *net.Net) {
			m := move("move", "a", "b")
			m.Modes[0].WeightOf = func(m net.Marking) float64 { return float64(2 - m.At("b")) }
			n.Transitions = append(n.Transitions, m)
		}, "a 8, b 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &net.Net{Name: name, Colours: colours,
				Places:      []net.Place{state("a", 10), state("b", 0), state("c", 0), state("d", 0)},
				Transitions: []net.Transition{clock(1)}}
			c.edit(n)
			if got := end(t, n, 1.5).String(); got != c.want {
				t.Errorf("marking %q, want %q", got, c.want)
			}
		})
	}
}

// Weights are shares, between transitions and between modes.
func TestWeights(t *testing.T) {
	t.Parallel()
	n := &net.Net{Name: "weights", Colours: colours, Places: []net.Place{state("a", 0), state("b", 0), state("c", 0), state("d", 0)}}
	out := func(name string, weight float64, to string) net.Transition {
		return net.Transition{Name: name, Weight: weight, Modes: []net.Mode{{In: []net.Arc{plain("a")}, Out: []net.Arc{plain(to)}}}}
	}
	two := out("two", 7, "c")
	two.Modes[0].Weight = 1
	two.Modes = append(two.Modes, net.Mode{Weight: 6, In: []net.Arc{plain("a")}, Out: []net.Arc{plain("d")}})
	n.Transitions = []net.Transition{
		{Name: "source", Law: constant(1), Modes: []net.Mode{{Out: []net.Arc{plain("a")}}}}, out("one", 3, "b"), two}
	m := end(t, n, 100_000.5)
	for place, want := range map[string]float64{"b": 0.3, "c": 0.1, "d": 0.6} {
		if share := float64(m.At(place)) / 100_000; math.Abs(share-want) > 5*math.Sqrt(want*(1-want)/100_000) {
			t.Errorf("share of %s: %v, want %v", place, share, want)
		}
	}
}

// A timer that is interrupted starts anew; one that goes on through a change
// that leaves it enabled does not.
func TestTimerMemory(t *testing.T) {
	t.Parallel()
	// idle ends after 5 without a token in busy; a token passes through busy at
	// 3..4, so idle ends at 9 and not at 5.
	n := &net.Net{Name: "idle", Colours: colours,
		Places: []net.Place{state("on", 2), state("off", 0), state("wait", 1), state("busy", 0), state("past", 0)},
		Transitions: []net.Transition{
			{Name: "idle", Law: constant(5), Modes: []net.Mode{{In: []net.Arc{plain("on")}, Out: []net.Arc{plain("off")}, Inhibit: []net.Arc{{Place: "busy"}}}}},
			{Name: "begin", Law: constant(3), Modes: []net.Mode{{In: []net.Arc{plain("wait")}, Out: []net.Arc{plain("busy")}}}},
			{Name: "stop", Law: constant(1), Modes: []net.Mode{{In: []net.Arc{plain("busy")}, Out: []net.Arc{plain("past")}}}},
			clock(1),
		}}
	if got := end(t, n, 8.9).At("off"); got != 0 {
		t.Errorf("idle ended %d times before 9", got)
	}
	if got := end(t, n, 9.1).At("off"); got != 1 {
		t.Errorf("idle ended %d times by 9.1, want once", got)
	}
	if got := end(t, n, 14.1).At("off"); got != 2 {
		t.Errorf("idle ended %d times by 14.1, want twice", got)
	}
}

// Identity: a fork continues its token once, a join ends the others; the
// response time is that of the token that ends.
func TestForkJoin(t *testing.T) {
	t.Parallel()
	queue := func(name string, service float64) net.Place {
		return net.Place{Name: name, Queue: &net.Queue{Discipline: net.IS, Service: []net.Service{{Colour: "request", Law: constant(service)}}}}
	}
	n := &net.Net{Name: "fork", Colours: colours,
		Places: []net.Place{{Name: "in"}, queue("short", 2), queue("long", 5), queue("last", 1)},
		Transitions: []net.Transition{
			{Name: "arrive", Law: constant(10), Modes: []net.Mode{{Out: []net.Arc{arc("in")}}}},
			{Name: "fork", Modes: []net.Mode{{In: []net.Arc{arc("in")}, Out: []net.Arc{arc("short"), arc("long")}}}},
			{Name: "join", Modes: []net.Mode{{In: []net.Arc{arc("short"), arc("long")}, Out: []net.Arc{arc("last")}}}},
			{Name: "depart", Modes: []net.Mode{{In: []net.Arc{arc("last")}}}},
		},
		Probes: []net.Probe{{Name: "whole"}, {Name: "join to end", From: "last", To: "last"}}}
	o := run(t, n, 1, net.Plan{Time: 100.5})
	// Each arrival ends two tokens: the fork's second one after 5, itself after 6.
	if m := o.Between(0, o.Cuts()-1); o.Departures != 18 || math.Abs(m.R-5.5) > 1e-12 {
		t.Errorf("%d tokens ended with mean %v, want 18 with 5.5", o.Departures, m.R)
	}
	if got := o.Between(0, o.Cuts()-1).Probes; math.Abs(got[0]-5.5) > 1e-12 || math.Abs(got[1]-1) > 1e-12 {
		t.Errorf("probes %v, want 5.5 over the whole life and 1 in the last place", got)
	}
}

// A window acts on what its period showed: half busy is above 0.4, not 0.6.
func TestWindow(t *testing.T) {
	t.Parallel()
	for above, want := range map[float64]int{0.4: 9, 0.6: 0} {
		n := single(constant(1), net.FCFS, 1, constant(0.5))
		n.Places = append(n.Places, state("active", 1), state("alarms", 0))
		n.Windows = []net.Window{{Name: "watch", Every: 10, Busy: []string{"queue"}, Over: []string{"active"}, Above: above, Put: []net.Arc{plain("alarms")}}}
		if got := end(t, n, 95).At("alarms"); got != want {
			t.Errorf("%d alarms above %v, want %d", got, above, want)
		}
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	o := run(t, single(constant(1), net.FCFS, 1, constant(0.5)), 1, net.Plan{Time: 100, Trace: 10})
	if len(o.Trace) != 10 {
		t.Fatalf("%d rows, want 10", len(o.Trace))
	}
	last := o.Trace[9]
	if last.End != 100 || math.Abs(last.Population-0.5) > 1e-9 || math.Abs(last.Throughput-1) > 0.11 || last.Places[0] != last.Population {
		t.Errorf("last row %+v, want population 0.5 and throughput 1", last)
	}
}

func TestDeadlock(t *testing.T) {
	t.Parallel()
	n := &net.Net{Name: "stuck", Colours: colours, Places: []net.Place{state("left", 3), state("right", 0)},
		Transitions: []net.Transition{{Name: "pair", Law: constant(1), Modes: []net.Mode{{In: []net.Arc{{Place: "left", Colour: "token", N: 2}}, Out: []net.Arc{plain("right")}}}}}}
	windowed := *n
	windowed.Places = append(windowed.Places, net.Place{Name: "queue", Queue: &net.Queue{Service: []net.Service{{Colour: "token", Law: constant(1)}}}})
	windowed.Windows = []net.Window{{Name: "watch", Every: 1, Busy: []string{"queue"}, Over: []string{"left"}, Above: 0.5, Put: []net.Arc{plain("left")}}}
	for name, n := range map[string]*net.Net{"plain": n, "with a window that goes on": &windowed} {
		err := compile(t, n).New(1).Run(t.Context(), net.Plan{Departures: 1})
		d, ok := errors.AsType[*net.Deadlock](err)
		if !ok || d.Marking != "left 1, right 1" {
			t.Errorf("%s: error %v, want a deadlock at left 1, right 1", name, err)
		}
	}
}

func TestLoop(t *testing.T) {
	t.Parallel()
	move := func(name, in, out string, law dist.Law) net.Transition {
		return net.Transition{Name: name, Law: law, Modes: []net.Mode{{In: []net.Arc{plain(in)}, Out: []net.Arc{plain(out)}}}}
	}
	for name, back := range map[string]dist.Law{"immediate": nil, "timed without time": constant(0)} {
		n := &net.Net{Name: "round", Colours: colours, Places: []net.Place{state("a", 1), state("b", 0)},
			Transitions: []net.Transition{clock(1), move("there", "a", "b", nil), move("back", "b", "a", back)}}
		err := compile(t, n).New(1).Run(t.Context(), net.Plan{Time: 10})
		l, ok := errors.AsType[*net.Loop](err)
		if !ok || len(l.Firing) != 2 || !strings.Contains(err.Error(), "there") || !strings.Contains(err.Error(), " 1") {
			t.Errorf("%s: error %v, want a loop of there and back with its marking", name, err)
		}
	}
}

// All faults of a net are told at once, each with its place.
func TestFaults(t *testing.T) {
	t.Parallel()
	n := &net.Net{
		Name:    "faulty",
		Colours: []net.Colour{{Name: "request"}, {Name: "request"}},
		Places: []net.Place{{Name: "a", Capacity: -1}, {Name: "a"},
			{Name: "q", Queue: &net.Queue{Servers: -1, Discipline: 9, Service: []net.Service{{Colour: "blue", Law: constant(1)}, {Colour: "request"}}}},
			{Name: "small", Capacity: 1, Initial: []net.Tokens{{Colour: "request", N: 2}}}},
		Transitions: []net.Transition{
			{Name: "empty"},
			{Name: "endless", Modes: []net.Mode{{Out: []net.Arc{arc("nowhere")}}}},
			{Name: "heavy", Weight: math.NaN(), Modes: []net.Mode{{In: []net.Arc{arc("q")}, Weight: -1}}},
			{Name: "wide", Modes: []net.Mode{{In: []net.Arc{arc("a")}, Out: []net.Arc{{Place: "small", Colour: "request", N: 5}}}}},
			{Name: "pump", Law: constant(0), Modes: []net.Mode{{Out: []net.Arc{arc("a")}}}},
			{Name: "flood", Law: constant(1), Infinite: true, Modes: []net.Mode{{Out: []net.Arc{arc("a")}}}},
			{Name: "least", Choose: net.Least, Modes: []net.Mode{{In: []net.Arc{arc("a")}, Least: "gone"}}},
		},
		Windows: []net.Window{{Name: "w", Busy: []string{"a"}, Over: []string{"gone"}}},
		Probes:  []net.Probe{{Name: "p", From: "gone"}},
	}
	_, err := net.Compile(n)
	if err == nil {
		t.Fatal("compiled")
	}
	for _, want := range []string{
		`colour "request": name empty or used twice`, `place "a": name empty or used twice`, `place "a": capacity -1`,
		`place "q": -1 servers`, `place "q": unknown discipline 9`, `unknown colour "blue"`, `colour "request" has no law`,
		`2 initial tokens exceed its capacity 1`, `transition "empty": no modes`, `transition "endless": unknown place "nowhere"`,
		`transition "endless": immediate and takes nothing`, `transition "heavy": weight NaN`, `weight -1`,
		`puts 5 tokens into place "small"`, `transition "pump": takes nothing and takes no time`,
		`transition "flood": takes nothing, so nothing says`, `least of unknown place "gone"`,
		`window "w": period 0`, `"a" is no place with a queue`, `window "w": unknown place "gone"`, `probe "p": unknown place "gone"`,
		`place "q": colour "request" is used there but has no service`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q", want)
		}
	}
}
