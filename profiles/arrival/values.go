package arrival

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Param is a parameter of a family of laws. All are required.
type Param struct {
	Name string
	Help string // one line
	List bool   // a list of values instead of one
	Time bool   // its values are times, in seconds; else plain numbers
}

// Values are parameters by name: one number, or those of a list.
type Values map[string][]float64

// Number is the value of a parameter that is no list, 0 without one.
func (v Values) Number(name string) float64 {
	if len(v[name]) == 0 {
		return 0
	}
	return v[name][0]
}

// check reports every way in which v is not what params ask for.
func (v Values) check(law string, params []Param) error {
	var faults []error
	for _, p := range params {
		switch values, ok := v[p.Name]; {
		case !ok:
			faults = append(faults, fmt.Errorf("%s: missing parameter %s", law, p.Name))
		case !p.List && len(values) != 1:
			faults = append(faults, fmt.Errorf("%s: %s is one number, not %d", law, p.Name, len(values)))
		}
	}
	for name := range v {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == name }) {
			faults = append(faults, fmt.Errorf("%s: unknown parameter %q", law, name))
		}
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(faults...)
}
