package exact

// MMc is M/M/c by Erlang's C formula.
func MMc(lambda, mu float64, c int) (Result, error) {
	if err := check("M/M/c", "lambda", lambda, "mu", mu, "c", c); err != nil {
		return Result{}, err
	}
	capacity := float64(c) * mu
	if err := Load(lambda, capacity); err != nil {
		return Result{}, err
	}
	blocked := erlangB(lambda/mu, c)
	rho := lambda / capacity
	wait := blocked / (1 - rho*(1-blocked)) // Erlang C from Erlang B
	r := result(lambda, 1/mu+wait/(capacity-lambda), wait/(capacity-lambda))
	r.Tail = &Tail{P: wait, Rate: capacity - lambda}
	return r, nil
}

// erlangB returns the share lost by M/M/c/c at offered load a, by the stable
// recursion over the number of servers (no factorials).
func erlangB(a float64, c int) float64 {
	b := 1.0
	for i := 1; i <= c; i++ {
		b = a * b / (float64(i) + a*b)
	}
	return b
}

// MMcK is M/M/c with room for k ≥ c requests in all; those that find it full
// are lost. The second result is the share lost. X counts the served ones.
func MMcK(lambda, mu float64, c, k int) (Result, float64, error) {
	if err := check("M/M/c/K", "lambda", lambda, "mu", mu, "c", c, "k-c+1", k-c+1); err != nil {
		return Result{}, 0, err
	}
	// States are weighted from the last one down so that nothing overflows.
	total, population, queue, p := 1.0, float64(k), float64(k-c), 1.0
	for n := k - 1; n >= 0; n-- {
		p *= float64(min(n+1, c)) * mu / lambda
		total += p
		population += p * float64(n)
		queue += p * float64(max(n-c, 0))
	}
	x := lambda * (1 - 1/total)
	return result(x, population/total/x, queue/total/x), 1 / total, nil
}
