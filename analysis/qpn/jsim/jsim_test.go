package jsim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/jsim"
	"edgebench/analysis/qpn/net"
)

// The files here are built from the format's parts: a parameter is a class
// path, a name and what is inside.

func param(kind, path, name, inside string) string {
	return fmt.Sprintf("<%s classPath=%q name=%q>%s</%[1]s>", kind, path, name, inside)
}

func value(path, name string, v any) string {
	return param("subParameter", path, name, fmt.Sprintf("<value>%v</value>", v))
}

func strategy(distribution string, params ...string) string {
	return param("subParameter", "jmt.engine.NetStrategies.ServiceStrategies.ServiceTimeStrategy", "ServiceTimeStrategy",
		param("subParameter", "jmt.engine.random."+distribution, distribution, "")+
			param("subParameter", "jmt.engine.random."+distribution+"Par", "distrPar", strings.Join(params, "")))
}

func exponential(rate float64) string {
	return strategy("Exponential", value("java.lang.Double", "lambda", rate))
}

func of(class, inside string) string { return "<refClass>" + class + "</refClass>" + inside }

func section(class string, inside ...string) string {
	return fmt.Sprintf("<section className=%q>%s</section>", class, strings.Join(inside, ""))
}

func node(name string, sections ...string) string {
	return fmt.Sprintf("<node name=%q>%s</node>", name, strings.Join(sections, ""))
}

func source(law, route string) string {
	return node("Source", section("RandomSource", param("parameter", "S", "ServiceStrategy", of("C", law))), section("ServiceTunnel"), router(route))
}

func router(route string) string {
	return section("Router", param("parameter", "R", "RoutingStrategy", of("C", route)))
}

func routing(name, inside string) string {
	return param("subParameter", "jmt.engine.NetStrategies.RoutingStrategies."+name, name, inside)
}

func queue(size int, put string) string {
	return section("Queue",
		param("parameter", "java.lang.Integer", "size", fmt.Sprintf("<value>%d</value>", size)),
		fmt.Sprintf(`<parameter array="true" classPath="java.lang.String" name="dropStrategies">%s</parameter>`, of("C", value("java.lang.String", "dropStrategy", "drop"))),
		param("parameter", "jmt.engine.NetStrategies.QueueGetStrategies.FCFSstrategy", "FCFSstrategy", ""),
		fmt.Sprintf(`<parameter array="true" classPath="P" name="QueuePutStrategy">%s</parameter>`,
			of("C", param("subParameter", "jmt.engine.NetStrategies.QueuePutStrategies."+put, put, ""))))
}

func server(class string, servers int, law string) string {
	return section(class, param("parameter", "java.lang.Integer", "maxJobs", fmt.Sprintf("<value>%d</value>", servers)),
		param("parameter", "S", "ServiceStrategy", of("C", law)))
}

func model(class string, parts ...string) string {
	return `<?xml version="1.0" encoding="ISO-8859-1"?><archive><sim name="caf` + "\xe9" + `">` + class + strings.Join(parts, "\n") + `</sim></archive>`
}

const open = `<userClass name="C" priority="0" referenceSource="Source" type="open"/>`

func connect(pairs ...string) string {
	out := ""
	for i := 0; i < len(pairs); i += 2 {
		out += fmt.Sprintf("<connection source=%q target=%q/>", pairs[i], pairs[i+1])
	}
	return out
}

func simulate(t *testing.T, text string, plan net.Plan) (*net.Net, net.Means) {
	t.Helper()
	n, err := jsim.Import(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := net.Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	s := p.New(1)
	if err := s.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	o := s.Observe()
	return n, o.Between(1, o.Cuts()-1)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got/want-1) > 0.03 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// M/M/1 with room for 11, lambda 9, mu 10, as in one of the tool's examples
// (which prints N = 4.29).
func TestFiniteQueue(t *testing.T) {
	t.Parallel()
	n, m := simulate(t, model(open, source(exponential(9), routing("RandomStrategy", "")),
		node("Q", queue(11, "TailStrategy"), server("Server", 1, exponential(10)), router(routing("RandomStrategy", ""))),
		node("Sink", section("JobSink")), connect("Source", "Q", "Q", "Sink")), net.Plan{Departures: 300_000})
	want, _, err := exact.MMcK(9, 10, 1, 11)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "N", m.N, want.N)
	near(t, "R", m.R, want.R)
	if n.Name != "café" {
		t.Errorf("name %q", n.Name)
	}
}

// Two stations by probability, one of them processor sharing with Erlang
// service, the other hyperexponential with two servers.
func TestRouting(t *testing.T) {
	t.Parallel()
	entry := func(station string, p float64) string {
		return param("subParameter", "E", "EmpiricalEntry", value("java.lang.String", "stationName", station)+value("java.lang.Double", "probability", p))
	}
	split := routing("EmpiricalStrategy", param("subParameter", "E", "EmpiricalEntryArray", entry("A", 0.25)+entry("B", 0.75)))
	_, m := simulate(t, model(open, source(exponential(4), routing("RandomStrategy", "")),
		node("Split", queue(-1, "TailStrategy"), section("ServiceTunnel"), router(split)),
		node("A", queue(-1, "TailStrategy"), server("PSServer", 1, strategy("Erlang", value("D", "alpha", 4.0), value("L", "r", 2))), router(routing("RandomStrategy", ""))),
		node("B", queue(-1, "TailStrategy"), server("Delay", 1, strategy("HyperExp", value("D", "p", 0.2), value("D", "lambda1", 0.8), value("D", "lambda2", 3.2))), router(routing("RandomStrategy", ""))),
		node("Sink", section("JobSink")), connect("Source", "Split", "Split", "A", "Split", "B", "A", "Sink", "B", "Sink")), net.Plan{Departures: 200_000})
	// A: M/G/1-PS at rate 1, mean 1/2: R = 1. B: mean service 1/2.
	near(t, "R", m.R, 0.25*1+0.75*0.5)
}

func TestShortestQueue(t *testing.T) {
	t.Parallel()
	text := model(open, source(exponential(4), routing("ShortestQueueLengthRoutingStrategy", "")),
		node("A", queue(-1, "HeadStrategy"), server("Server", 1, exponential(3)), router(routing("RandomStrategy", ""))),
		node("B", queue(-1, "TailStrategy"), server("Server", 1, exponential(3)), router(routing("RandomStrategy", ""))),
		node("Sink", section("JobSink")), connect("Source", "A", "Source", "B", "A", "Sink", "B", "Sink"))
	n, m := simulate(t, text, net.Plan{Departures: 200_000})
	if d := n.Places[1].Queue.Discipline; d != net.LIFO {
		t.Errorf("discipline %d, want LIFO", d)
	}
	mm1, err := exact.MMc(2, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	mm2, err := exact.MMc(4, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !(m.R > mm2.R && m.R < mm1.R) {
		t.Errorf("R = %v, want between one queue (%v) and a random split (%v)", m.R, mm2.R, mm1.R)
	}
}

// A stochastic Petri net: 30 tokens leave by fives (4 servers) and by twos (6
// servers) and return one by one (as many as there are, rate 2). Its chain is
// solved by iteration.
func TestPetriNet(t *testing.T) {
	t.Parallel()
	vectors := func(kind, station string, k int) string {
		return param("parameter", "M", kind+"s", param("subParameter", "M", kind, param("subParameter", "V", "vectors",
			param("subParameter", "V", "vector", value("S", "stationName", station)+
				param("subParameter", "I", "entries", of("C", value("I", "entry", k)))))))
	}
	list := func(name, inside string) string { return param("parameter", "L", name, inside) }
	move := func(name, from, to string, k, servers int, rate float64) string {
		return node(name,
			section("Enabling", vectors("enablingCondition", from, k), vectors("inhibitingCondition", from, 0)),
			section("Timing", list("modeNames", value("S", "modeName", "m")), list("numbersOfServers", value("I", "numberOfServers", servers)),
				list("timingStrategies", exponential(rate)), list("firingPriorities", value("I", "firingPriority", -1)), list("firingWeights", value("D", "firingWeight", 1.0))),
			section("Firing", vectors("firingOutcome", to, k)))
	}
	store := func(name string) string {
		return node(name, section("Storage", param("parameter", "I", "totalCapacity", "<value>-1</value>")), section("ServiceTunnel"), section("Linkage"))
	}
	n, m := simulate(t, model(`<userClass customers="30" name="C" priority="0" referenceSource="P1" type="closed"/>`,
		store("P1"), store("P2"), move("T1", "P1", "P2", 5, 4, 1), move("T2", "P1", "P2", 2, 6, 1), move("T3", "P2", "P1", 1, -1, 2),
		`<preload><stationPopulations stationName="P1"><classPopulation population="30" refClass="C"/></stationPopulations></preload>`),
		net.Plan{Departures: 400_000})
	// Uniformised power iteration over the tokens in P1.
	const tokens, rate = 30, 80.0
	p := make([]float64, tokens+1)
	p[tokens] = 1
	for range 20_000 {
		q := make([]float64, tokens+1)
		for k, w := range p {
			five, two, back := float64(min(4, k/5)), float64(min(6, k/2)), 2*float64(tokens-k)
			q[k] += w * (1 - (five+two+back)/rate)
			if five > 0 {
				q[k-5] += w * five / rate
			}
			if two > 0 {
				q[k-2] += w * two / rate
			}
			if back > 0 {
				q[k+1] += w * back / rate
			}
		}
		p = q
	}
	want := 0.0
	for k, w := range p {
		want += float64(k) * w
	}
	near(t, "tokens in P1", m.Places[0].Population, want)
	if !n.Transitions[2].Infinite || n.Transitions[0].Servers != 4 {
		t.Errorf("timers: %+v", n.Transitions)
	}
}

// What is not supported is refused by station and name, all at once.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	_, err := jsim.Import(strings.NewReader(model(open, source(strategy("Pareto"), routing("RandomStrategy", "")),
		node("F", queue(-1, "TailStrategy"), section("ServiceTunnel"), section("Fork")),
		node("Q", queue(-1, "RandStrategy"), server("Server", 1, exponential(1)), router(routing("FastestServiceRoutingStrategy", ""))),
		`<blockingRegion name="FCR"/>`)))
	if err == nil {
		t.Fatal("imported")
	}
	for _, want := range []string{`"Source": not supported: distribution Pareto`, `"F": not supported: a station of Queue ServiceTunnel Fork`,
		`"Q": not supported: RandStrategy`, `"Q": not supported: FastestServiceRoutingStrategy`, `"FCR": not supported: finite capacity region`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error\n%v\ndoes not say %s", err, want)
		}
	}
	for text, want := range map[string]string{
		"":       "jsim: EOF",
		"<a/>":   "root element a has no sim element",
		"<sim>":  "jsim: XML syntax error",
		"<sim/>": "no colours",
		`<?xml version="1.0" encoding="KOI8"?><sim/>`: `charset "KOI8"`,
	} {
		if _, err := jsim.Import(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// Whatever the text, Import does not panic.
func FuzzImport(f *testing.F) {
	f.Add(model(open, source(exponential(9), routing("RandomStrategy", "")), node("Q", queue(11, "TailStrategy"), server("Server", 1, exponential(10)),
		router(routing("RandomStrategy", ""))), node("Sink", section("JobSink")), connect("Source", "Q", "Q", "Sink")))
	f.Add(`<sim><userClass name="C"/><node name="T"><section className="Enabling"/><section className="Timing"/><section className="Firing"/></node></sim>`)
	f.Fuzz(func(t *testing.T, text string) {
		n, err := jsim.Import(strings.NewReader(text))
		if (n == nil) != (err != nil) {
			t.Fatalf("net %v, error %v", n, err)
		}
	})
}
