package arima

// Forecast returns the expected values of the h observations after y. An error
// means the model is not stationary.
func (m Model) Forecast(y []float64, h int) ([]float64, error) {
	f, err := newFilter(m.Order)
	if err != nil {
		return nil, err
	}
	w := difference(y, m.Order.D)
	if !f.run(m.AR, m.MA, w) {
		return nil, errNotStationary
	}
	// last[k] is the last value of the k-th difference: a forecast of the d-th
	// is summed up through them to the level of y.
	last := make([]float64, m.Order.D)
	for k := range last {
		level := difference(y, k)
		last[k] = level[len(level)-1]
	}
	out := make([]float64, h)
	for i := range out {
		value := f.state[0]
		for k := len(last) - 1; k >= 0; k-- {
			last[k] += value
			value = last[k]
		}
		out[i] = value
		f.predict()
	}
	return out, nil
}
