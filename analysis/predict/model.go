package predict

import (
	"fmt"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/net"
	"edgebench/profiles"
)

// A fit makes the queueing model of a node with one policy, or says why there is
// none.
type fit func(*profiles.Profile, *profiles.Bundled) (*qpn.Model, string)

// fits is the registry: policies whose steady state is a queueing model.
var fits = map[string]fit{
	"static": staticPool,
	"spr":    perRequest,
	"cls":    concurrencyLimit,
	"mbs":    metricsBased,
}

// modelOf is the queueing model of the profile's node, nil with the reason.
func modelOf(p *profiles.Profile) (*qpn.Model, string) {
	b := p.Target.Bundled
	if b == nil {
		return nil, "the target is not a node of ours"
	}
	f, ok := fits[b.Policy.Name]
	if !ok {
		return nil, fmt.Sprintf("policy %s changes the number of workers by rules of its own; the twin has them", b.Policy.Name)
	}
	return f(p, b)
}

// staticPool is a fixed number of workers behind one queue.
func staticPool(p *profiles.Profile, b *profiles.Bundled) (*qpn.Model, string) {
	switch {
	case b.Miss.Kind != "queue":
		return nil, fmt.Sprintf("with miss %s a request that finds no idle worker does not simply wait for one; with miss queue it does", b.Miss.Kind)
	case b.Workers < 1:
		return nil, "the number of workers is not set"
	}
	return singleQueue(p.Arrivals, b.Service, b.Workers)
}

// singleQueue is G/G/c: c servers, one first-come first-served queue.
func singleQueue(arrivals profiles.Arrivals, service profiles.Service, c int) (*qpn.Model, string) {
	if _, err := gapLaw(arrivals, 1); err != nil {
		return nil, err.Error()
	}
	law, err := serviceLaw(service)
	if err != nil {
		return nil, err.Error()
	}
	m := &qpn.Model{
		Name:     fmt.Sprintf("%s/%s/%d", kendall(arrivals.Law), kendall(service.Law), c),
		Capacity: float64(c) / law.Mean(),
		Net: func(lambda float64) (*net.Net, error) {
			gap, err := gapLaw(arrivals, lambda)
			if err != nil {
				return nil, err
			}
			return queueNet(gap, law, c), nil
		},
	}
	m.Description = fmt.Sprintf("%s: %s gaps, %s service of mean %v, %d workers, one queue", m.Name, arrivals.Law, service.Law, service.Mean, c)
	gap, _ := gapLaw(arrivals, 1)
	_, transform := gap.(dist.Transformer)
	if _, memoryless := law.(dist.Exponential); memoryless && transform {
		m.Exact = func(lambda float64) (exact.Result, error) {
			gap, err := gapLaw(arrivals, lambda)
			if err != nil {
				return exact.Result{}, err
			}
			return exact.GIMc(gap.(dist.Transformer), 1/law.Mean(), c)
		}
	}
	return m, ""
}

func queueNet(gap, service dist.Law, c int) *net.Net {
	return &net.Net{
		Name:    "single queue",
		Colours: []net.Colour{{Name: "request"}},
		Places:  []net.Place{{Name: "workers", Queue: &net.Queue{Servers: c, Service: []net.Service{{Colour: "request", Law: service}}}}},
		Transitions: []net.Transition{
			{Name: "arrive", Law: gap, Modes: []net.Mode{{Out: []net.Arc{{Place: "workers", Colour: "request"}}}}},
			{Name: "finish", Modes: []net.Mode{{In: []net.Arc{{Place: "workers", Colour: "request"}}}}},
		},
	}
}

// gapLaw is the law of the gaps between arrivals at rate lambda. A law without
// one, since its gaps depend on each other, is an error.
func gapLaw(a profiles.Arrivals, lambda float64) (dist.Law, error) {
	switch a.Law {
	case "even":
		return dist.NewDeterministic(1 / lambda)
	case "poisson":
		return dist.NewExponential(1 / lambda)
	case "lognormal":
		return dist.NewLognormal(1/lambda, a.Params.Number("scv"))
	case "h2":
		return dist.NewH2(1/lambda, a.Params.Number("p"), a.Params.Number("scv"))
	}
	return nil, fmt.Errorf("gaps of %s arrivals are not independent, or their law is not one of the models'", a.Law)
}

func serviceLaw(s profiles.Service) (dist.Law, error) {
	if s.Law == "exponential" {
		return dist.NewExponential(s.Mean.Seconds())
	}
	return dist.NewDeterministic(s.Mean.Seconds())
}

// kendall is the letter of a law in Kendall's notation.
func kendall(law string) string {
	switch law {
	case "even", "fixed":
		return "D"
	case "poisson", "exponential":
		return "M"
	case "h2":
		return "H2"
	case "lognormal":
		return "LN"
	}
	return "G"
}
