package jsim

import (
	"fmt"
	"strconv"

	"edgebench/analysis/qpn/dist"
)

// law reads a service strategy; nil for one that is disabled.
func law(strategy *element) (dist.Law, error) {
	switch strategy.class() {
	case "DisabledServiceTimeStrategy":
		return nil, nil
	case "ZeroServiceTimeStrategy":
		return dist.Deterministic{}, nil
	case "ServiceTimeStrategy":
	default:
		return nil, fmt.Errorf("service strategy %s", strategy.class())
	}
	if len(strategy.Children) == 0 { // how a class that is never served is stored
		return nil, nil
	}
	par := strategy.param("distrPar")
	kind := strategy.Children[0].class()
	var fault error
	number := func(name string) float64 {
		p := par.param(name)
		v, err := strconv.ParseFloat(p.value(), 64)
		if err != nil && fault == nil {
			fault = fmt.Errorf("distribution %s: parameter %s %q is no number", kind, name, p.value())
		}
		return v
	}
	var built dist.Law
	var err error
	switch kind {
	case "Exponential":
		built, err = dist.NewExponential(1 / number("lambda"))
	case "HyperExp":
		built, err = dist.NewH2Rates(number("p"), number("lambda1"), number("lambda2"))
	case "Erlang": // r stages of rate alpha
		built, err = dist.NewErlang(number("r")/number("alpha"), int(number("r")))
	case "DeterministicDistr":
		built, err = dist.NewDeterministic(number("t"))
	case "Uniform":
		built, err = dist.NewUniform(number("min"), number("max"))
	default:
		return nil, fmt.Errorf("distribution %s", kind)
	}
	if fault != nil {
		return nil, fault
	}
	return built, err
}
