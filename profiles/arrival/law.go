package arrival

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Law is how arrivals scatter around the rate: a sequence of gaps of unit mean.
type Law interface {
	Gaps(src *rand.PCG) Gaps // a fresh sequence, drawing only from src
	SCV() float64            // squared coefficient of variation of a gap; of mmpp at 1/s
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
	Help   string // one line
	Params []Param
	New    func(Values) (Law, error) // called with exactly Params
}

// families is the registry: a law is one file and one line here.
var families = []Family{evenFamily, h2Family, lognormalFamily, mmppFamily, poissonFamily, weibullFamily}

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
func NewLaw(name string, values Values) (Law, error) {
	f, err := FamilyOf(name)
	if err != nil {
		return nil, err
	}
	if err := values.check(name, f.Params); err != nil {
		return nil, err
	}
	return f.New(values)
}
