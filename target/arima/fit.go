package arima

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/optimize"
)

// minSpare is how many observations a fit wants beyond its coefficients.
const minSpare = 5

// Fit finds the coefficients of largest exact likelihood. It climbs from several
// starts (the likelihood of a mixed model has more than one summit) and keeps the
// best. An all but constant series is an error: its likelihood has no maximum.
func Fit(y []float64, o Order) (Model, error) {
	f, err := newFilter(o)
	if err != nil {
		return Model{}, err
	}
	if len(y) < o.Least() {
		return Model{}, fmt.Errorf("arima: %d observations for order %v: want at least %d", len(y), o, o.Least())
	}
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Model{}, fmt.Errorf("arima: observation %d is %v", i, v)
		}
	}
	w := difference(y, o.D)
	scale := rootMeanSquare(w)
	if scale == 0 {
		return Model{}, fmt.Errorf("arima: the series is constant after %d differences", o.D)
	}
	for i := range w {
		w[i] /= scale // the likelihood's curvature must not depend on the unit
	}
	s := search{filter: f, w: w, ar: make([]float64, o.P), ma: make([]float64, o.Q)}
	best, found := s.best(s.starts())
	if !found {
		return Model{}, fmt.Errorf("arima: no start of order %v has a finite likelihood", o)
	}
	return s.model(best, scale), nil
}

func rootMeanSquare(w []float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(w)))
}

// A search maximises the likelihood over unconstrained parameters, sigma²
// concentrated out.
type search struct {
	filter *filter
	w      []float64
	ar, ma []float64
}

// split maps free parameters to coefficients.
func (s *search) split(x []float64) {
	p := s.filter.order.P
	constrain(x[:p], s.ar)
	constrain(x[p:], s.ma)
	for i := range s.ma {
		s.ma[i] = -s.ma[i]
	}
}

// cost is −2/n · log-likelihood without its constant: order 1, so that the
// optimiser's tolerances mean the same for every series.
func (s *search) cost(x []float64) float64 {
	s.split(x)
	if !s.filter.run(s.ar, s.ma, s.w) {
		return math.Inf(1)
	}
	n := float64(len(s.w))
	return math.Log(s.filter.sumSquares/n) + s.filter.sumLogF/n
}

// A summit is a point a climb has come to.
type summit struct {
	x    []float64
	cost float64
}

// Climbs. Far from a summit the first steps tell which starts lead anywhere, so
// all climb a little and the best few to the end.
const (
	firstSteps = 10
	lastSteps  = 100
	finalists  = 4
)

func (s *search) best(starts [][]float64) (x []float64, found bool) {
	var all []summit
	for _, start := range starts {
		if !math.IsInf(s.cost(start), 1) {
			all = append(all, s.climb(start, firstSteps))
		}
	}
	if len(all) == 0 {
		return nil, false
	}
	byCost := func(a, b summit) int { return cmp.Compare(a.cost, b.cost) }
	slices.SortStableFunc(all, byCost)
	all = all[:min(len(all), finalists)]
	for i := range all {
		all[i] = s.climb(all[i].x, lastSteps)
	}
	return slices.MinFunc(all, byCost).x, true
}

func (s *search) climb(start []float64, steps int) summit {
	problem := optimize.Problem{
		Func: s.cost,
		Grad: func(grad, x []float64) { fd.Gradient(grad, s.cost, x, &fd.Settings{Formula: fd.Central}) },
	}
	settings := &optimize.Settings{
		MajorIterations: steps,
		Converger:       &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 4},
	}
	// An error here is a line search that could go no lower: the point it ended at
	// is as good a candidate as a converged one.
	result, _ := optimize.Minimize(problem, start, settings, &optimize.BFGS{})
	if result == nil || !(result.F <= s.cost(start)) {
		return summit{start, s.cost(start)}
	}
	return summit{slices.Clone(result.X), result.F}
}

func (s *search) model(x []float64, scale float64) Model {
	s.split(x)
	s.filter.run(s.ar, s.ma, s.w)
	n := float64(len(s.w))
	sigma2 := s.filter.sumSquares / n
	return Model{
		Order: s.filter.order, AR: s.ar, MA: s.ma, Sigma2: sigma2 * scale * scale,
		LogLik: -0.5*(n*math.Log(2*math.Pi*sigma2)+s.filter.sumLogF+n) - n*math.Log(scale),
	}
}
