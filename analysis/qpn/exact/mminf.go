package exact

// MMInf is M/M/∞ (and by insensitivity M/G/∞, and any renewal arrivals of rate
// lambda as far as the means go): nobody waits.
func MMInf(lambda, mu float64) (Result, error) {
	if err := check("M/M/∞", "lambda", lambda, "mu", mu); err != nil {
		return Result{}, err
	}
	r := result(lambda, 1/mu, 0)
	r.Tail = &Tail{P: 0, Rate: mu}
	return r, nil
}
