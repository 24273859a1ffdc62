package arrival

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Law is how arrivals scatter around the rate: a sequence of gaps of unit mean.
type Law interface {
	Gaps(src *rand.PCG) Gaps // a fresh sequence, drawing only from src
	SCV() float64            // squared coefficient of variation of a gap
	String() string          // name and parameters, the same for equal laws
}

// Gaps yields one gap after another, the first being the one before the first
// arrival. Next does not allocate.
type Gaps interface {
	Next() float64
}

// A Family is an entry of the registry of laws.
type Family struct {
	Name   string
	Help   string                                       // one line
	Params []string                                     // all of them required
	New    func(params map[string]float64) (Law, error) // called with exactly Params
}

// families is the registry: a law is one file and one line here.
var families = []Family{evenFamily, h2Family, poissonFamily}

// Families lists the laws by name.
func Families() []Family { return slices.Clone(families) }

// FamilyOf finds a law's family by name.
func FamilyOf(name string) (Family, error) {
	var names []string
	for _, f := range families {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Family{}, fmt.Errorf("unknown law %q (known: %s)", name, strings.Join(names, ", "))
}

// NewLaw makes a law from its name and parameters, reporting every fault at once.
func NewLaw(name string, params map[string]float64) (Law, error) {
	f, err := FamilyOf(name)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, p := range f.Params {
		if _, ok := params[p]; !ok {
			faults = append(faults, fmt.Errorf("%s: missing parameter %s", name, p))
		}
	}
	for p := range params {
		if !slices.Contains(f.Params, p) {
			faults = append(faults, fmt.Errorf("%s: unknown parameter %q", name, p))
		}
	}
	if len(faults) > 0 {
		slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return nil, errors.Join(faults...)
	}
	return f.New(params)
}
