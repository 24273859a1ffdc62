package exact

import (
	"fmt"
	"slices"

	"edgebench/analysis/qpn/dist"
)

// Order is how CLS chooses among the instances with a free token.
type Order int

// Orders.
const (
	Overflow   Order = iota // the first in instance order
	JSQ                     // the one with the fewest requests
	RandomFree              // any, all equally likely
)

// CLS is concurrency-level scaling: instances with a number of tokens each; a
// request holds one token from its admission to its end; one first-come
// first-served queue in front for when every token is taken.
type CLS struct {
	Instances int     // 1 or more
	Tokens    int     // of one instance, 1 or more
	Servers   int     // of one instance, 1..Tokens; 0 means 1
	Mu        float64 // service rate of one server
	Order     Order
}

// A CLSResult is the steady state of CLS.
type CLSResult struct {
	Result
	Full float64 // share of time in which every token is taken
}

// A solution costs the cube of the states of a level, times the levels.
const (
	maxLevel  = 700
	maxTokens = 10_000
)

// TooLarge says that a chain has more states than are solved here.
type TooLarge struct{ Model string }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("%s: more than %d states in a level or %d tokens: no exact solution here", e.Model, maxLevel, maxTokens)
}

// Capacity is the rate CLS can serve.
func (c CLS) Capacity() float64 { return float64(c.Instances*max(c.Servers, 1)) * c.Mu }

// Solve follows the number of requests in every instance and the phase of the
// arrivals. With every token taken the queue in front is the only thing that
// changes and its length is geometric, so it needs no states.
func (c CLS) Solve(gap dist.PhaseMixture) (CLSResult, error) {
	c.Servers = max(c.Servers, 1)
	if err := check("CLS", "instances", c.Instances, "tokens", c.Tokens, "tokens-servers+1", c.Tokens-c.Servers+1, "mu", c.Mu); err != nil {
		return CLSResult{}, err
	}
	if c.Instances > maxTokens || c.Tokens > maxTokens {
		return CLSResult{}, &TooLarge{fmt.Sprintf("CLS %d×%d", c.Instances, c.Tokens)}
	}
	lambda, capacity := 1/gap.Mean(), c.Capacity()
	sigma, err := root(gap.Laplace, lambda, capacity)
	if err != nil {
		return CLSResult{}, err
	}
	if c.Servers == c.Tokens {
		// Every token is a server: it does not matter whose it is.
		c = CLS{Instances: 1, Tokens: c.Instances * c.Tokens, Servers: c.Instances * c.Tokens, Mu: c.Mu}
	}
	chain := clsChain{CLS: c}
	chain.probs, chain.rates = gap.Phases()
	levels, err := chain.build()
	if err != nil {
		return CLSResult{}, err
	}
	// queued[j] is the weight, per unit of arrival rate out of the full states,
	// of a queue of one with the arrivals in phase j.
	queued := make([]float64, len(chain.rates))
	var fold []entry
	for j, p := range chain.probs {
		queued[j] = p / (chain.rates[j] + capacity*(1-sigma))
		for i, rate := range chain.rates {
			fold = append(fold, entry{i, j, rate * queued[j] * capacity})
		}
	}
	pi, err := solveLevels(levels, fold)
	if err != nil {
		return CLSResult{}, err
	}
	return chain.measure(pi, lambda, sigma, queued), nil
}

// clsChain builds the states of CLS below and at "every token taken".
type clsChain struct {
	CLS
	probs, rates []float64
}

// occupancy holds the requests of each instance; runes, for a string of them
// is a key.
type occupancy []rune

func (c *clsChain) build() ([]level, error) {
	phases := len(c.rates)
	tokens := c.Instances * c.Tokens
	if tokens > maxTokens {
		return nil, &TooLarge{fmt.Sprintf("CLS %d×%d", c.Instances, c.Tokens)}
	}
	levels := make([]level, tokens+1)
	states := make([][]occupancy, tokens+1)
	index := make([]map[string]int, tokens+1)
	for n := range states {
		few := c.enumerate(nil, n, func(s occupancy) bool {
			states[n] = append(states[n], s)
			return len(states[n])*phases <= maxLevel
		})
		levels[n].size = len(states[n]) * phases
		if !few {
			return nil, &TooLarge{fmt.Sprintf("CLS %d×%d", c.Instances, c.Tokens)}
		}
		index[n] = make(map[string]int, len(states[n]))
		for i, s := range states[n] {
			index[n][string(s)] = i
		}
	}
	for n := range levels {
		l := &levels[n]
		for i, s := range states[n] {
			c.eachEnd(s, func(rate float64, to occupancy) {
				for ph := range phases {
					l.down = append(l.down, entry{i*phases + ph, index[n-1][string(to)]*phases + ph, rate})
				}
			})
			c.eachAdmission(s, func(share float64, to occupancy) {
				at := index[n+1][string(to)]
				for ph, rate := range c.rates {
					for next, p := range c.probs {
						l.up = append(l.up, entry{i*phases + ph, at*phases + next, rate * share * p})
					}
				}
			})
		}
	}
	return levels, nil
}

// enumerate calls f with every occupancy that starts with head and has n more
// requests, in ascending order where the order of instances means nothing,
// until f is false.
func (c *clsChain) enumerate(head occupancy, n int, f func(occupancy) bool) bool {
	left := c.Instances - len(head)
	if n > left*c.Tokens {
		return true
	}
	if left == 0 {
		return f(slices.Clone(head))
	}
	least := 0
	if c.Order != Overflow && len(head) > 0 {
		least = int(head[len(head)-1])
	}
	for m := least; m <= min(n, c.Tokens); m++ {
		if !c.enumerate(append(head, rune(m)), n-m, f) {
			return false
		}
	}
	return true
}

// eachEnd calls f with the ways a request can end.
func (c *clsChain) eachEnd(s occupancy, f func(rate float64, to occupancy)) {
	for i, m := range s {
		if m > 0 {
			f(float64(min(int(m), c.Servers))*c.Mu, c.moved(s, i, int(m)-1))
		}
	}
}

// eachAdmission calls f with the instances an arrival may go to.
func (c *clsChain) eachAdmission(s occupancy, f func(share float64, to occupancy)) {
	var free []int
	for i, m := range s {
		if int(m) < c.Tokens {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return
	}
	switch c.Order {
	case RandomFree:
		for _, i := range free {
			f(1/float64(len(free)), c.moved(s, i, int(s[i])+1))
		}
		return
	case JSQ:
		free[0] = slices.MinFunc(free, func(a, b int) int { return int(s[a]) - int(s[b]) })
	}
	f(1, c.moved(s, free[0], int(s[free[0]])+1))
}

// moved returns s with instance i at m requests. Only overflow tells instances
// apart; otherwise states that differ in their order are one.
func (c *clsChain) moved(s occupancy, i, m int) occupancy {
	to := slices.Clone(s)
	to[i] = rune(m)
	if c.Order != Overflow {
		slices.Sort(to)
	}
	return to
}

func (c *clsChain) measure(pi [][]float64, lambda, sigma float64, queued []float64) CLSResult {
	var total, population, full float64
	for n, level := range pi {
		for _, w := range level {
			total += w
			population += float64(n) * w
		}
	}
	// From the full states arrivals of rate `into` start the queue; a queue of q
	// has weight into·Σqueued·sigma^(q−1).
	into, one := 0.0, 0.0
	for i, w := range pi[len(pi)-1] {
		full += w
		into += w * c.rates[i%len(c.rates)]
	}
	for _, v := range queued {
		one += v
	}
	waiting := into * one / (1 - sigma)
	length := waiting / (1 - sigma)
	tokens := float64(c.Instances * c.Tokens)
	total += waiting
	mean := (population + waiting*tokens + length) / total
	return CLSResult{
		Result: result(lambda, mean/lambda, length/total/lambda),
		Full:   (full + waiting) / total,
	}
}
