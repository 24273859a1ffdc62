package policy

import (
	"errors"

	"edgebench/target/arima"
)

// A Question asks how a series goes on.
type Question struct {
	Order  arima.Order
	Series []float64 // oldest first; the asker's own, valid during the call
	Ahead  int       // values wanted, 1 or more
}

// A Forecaster answers questions, now or later.
type Forecaster interface {
	// Forecast returns the next q.Ahead values, or why there are none. The error
	// ErrPending means that the answer, if there will be one, goes to Revise of
	// the policy that asked; any other, that the series cannot be forecast.
	Forecast(q Question) ([]float64, error)
}

// ErrPending is a Forecaster's answer when there is none yet.
var ErrPending = errors.New("the forecast is not there yet")

// Forecasting is implemented by policies that ask a Forecaster. They begin with
// one that fits in process, so that the twin, whose clock stands still meanwhile,
// has each forecast at the tick that asked for it. A live node attaches one that
// fits elsewhere, because a fit takes longer than its reactor may be away.
type Forecasting interface {
	Policy
	Attach(Forecaster)
	// Revise takes the late answer to the last question that was left pending and
	// decides anew. Without an answer the decision that stands is kept.
	Revise(forecast []float64, err error) Decision
}

// Answer fits and forecasts: what every Forecaster does in the end. It is a
// function of the question alone.
func (q Question) Answer() ([]float64, error) {
	m, err := arima.Fit(q.Series, q.Order)
	if err != nil {
		return nil, err
	}
	return m.Forecast(q.Series, q.Ahead)
}

// inProcess answers at once.
type inProcess struct{}

func (inProcess) Forecast(q Question) ([]float64, error) { return q.Answer() }
