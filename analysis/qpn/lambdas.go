package qpn

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxPoints bounds a sweep: more is a slip of the step.
const maxPoints = 10_000

// ParseLambdas reads arrival rates per second: a number, a list "1,5,10", or a
// range "from:to:step" with both ends included (step 1 when left out).
func ParseLambdas(text string) ([]float64, error) {
	if strings.Contains(text, ":") {
		return parseRange(text)
	}
	var out []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := parseRate(text, part)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if len(out) > maxPoints {
		return nil, fmt.Errorf("lambda: %d points: more than %d", len(out), maxPoints)
	}
	return out, nil
}

func parseRange(text string) ([]float64, error) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return nil, fmt.Errorf("lambda %q: not from:to:step", text)
	}
	if len(parts) == 2 {
		parts = append(parts, "1")
	}
	var v [3]float64
	for i, part := range parts {
		var err error
		if v[i], err = parseRate(text, part); err != nil {
			return nil, err
		}
	}
	from, to, step := v[0], v[1], v[2]
	if from > to {
		return nil, fmt.Errorf("lambda %q: the range is reversed (%v > %v)", text, from, to)
	}
	// The end counts as reached within a millionth of a step: steps are decimal.
	n := math.Floor((to-from)/step + 1e-6)
	if n >= maxPoints {
		return nil, fmt.Errorf("lambda %q: %.0f points: more than %d", text, n+1, maxPoints)
	}
	out := make([]float64, int(n)+1)
	for i := range out {
		// Rounded to 12 digits so that 0.1 steps print as they were meant.
		out[i], _ = strconv.ParseFloat(strconv.FormatFloat(from+float64(i)*step, 'g', 12, 64), 64)
	}
	return out, nil
}

func parseRate(text, part string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("lambda %q: %q is not a finite number above 0", text, part)
	}
	return v, nil
}

// checkLambdas reports the first rate that is none.
func checkLambdas(lambdas []float64) error {
	if len(lambdas) == 0 {
		return fmt.Errorf("lambda: no arrival rates")
	}
	if len(lambdas) > maxPoints {
		return fmt.Errorf("lambda: %d points: more than %d", len(lambdas), maxPoints)
	}
	if i := slices.IndexFunc(lambdas, func(v float64) bool { return !(v > 0) || math.IsInf(v, 1) }); i >= 0 {
		return fmt.Errorf("lambda %v: not a finite number above 0", lambdas[i])
	}
	return nil
}
