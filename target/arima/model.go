// Package arima fits ARIMA(p, d, q) models by exact Gaussian maximum likelihood
// and forecasts with them. It is pure: series in, numbers out, no clock and no
// randomness. Seasonal terms, trends and missing values are refused by having
// no place in the types.
package arima

import (
	"errors"
	"fmt"
	"math"
)

// An Order is (p, d, q): autoregressive terms, differences, moving-average terms.
type Order struct{ P, D, Q int }

// MaxTerms bounds p and q: the cost of a likelihood grows with their square, that
// of its start with their sixth power.
const MaxTerms = 8

// Validate reports every fault of the order at once.
func (o Order) Validate() error {
	var errs []error
	for _, term := range []struct {
		name  string
		value int
		most  int
	}{{"p", o.P, MaxTerms}, {"d", o.D, 2}, {"q", o.Q, MaxTerms}} {
		if term.value < 0 || term.value > term.most {
			errs = append(errs, fmt.Errorf("arima: %s = %d: want 0 to %d", term.name, term.value, term.most))
		}
	}
	return errors.Join(errs...)
}

// terms is the number of coefficients.
func (o Order) terms() int { return o.P + o.Q }

// Least is how many observations a fit of this order wants at least.
func (o Order) Least() int { return o.D + o.terms() + minSpare }

// states is the dimension of Harvey's state space.
func (o Order) states() int { return max(o.P, o.Q+1) }

func (o Order) String() string { return fmt.Sprintf("(%d,%d,%d)", o.P, o.D, o.Q) }

// A Model is an order with its coefficients: the d-th difference w of the series
// follows w_t = Σ AR_i w_{t−i} + e_t + Σ MA_j e_{t−j}, e ~ N(0, Sigma2).
type Model struct {
	Order  Order
	AR, MA []float64
	Sigma2 float64
	LogLik float64 // exact log-likelihood of the differenced series
}

// difference returns the d-th difference of y.
func difference(y []float64, d int) []float64 {
	w := append([]float64(nil), y...)
	for ; d > 0; d-- {
		for i := len(w) - 1; i > 0; i-- {
			w[i] -= w[i-1]
		}
		w = w[1:]
	}
	return w
}

// LogLikelihood is the exact log-likelihood of y at the model's coefficients and
// Sigma2 (which must be positive), on the d-th difference.
func (m Model) LogLikelihood(y []float64) (float64, error) {
	w := difference(y, m.Order.D)
	f, err := newFilter(m.Order)
	if err != nil {
		return 0, err
	}
	if m.Sigma2 <= 0 {
		return 0, fmt.Errorf("arima: sigma2 = %v: want above 0", m.Sigma2)
	}
	if !f.run(m.AR, m.MA, w) {
		return 0, errNotStationary
	}
	n := float64(len(w))
	return -0.5 * (n*math.Log(2*math.Pi*m.Sigma2) + f.sumLogF + f.sumSquares/m.Sigma2), nil
}

var errNotStationary = errors.New("arima: the autoregressive part is not stationary")
