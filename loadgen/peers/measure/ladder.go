// Package measure is the arithmetic of the comparison: which rate a generator
// holds, how far arrivals are from what was asked for. It is pure; what runs
// the generators is elsewhere.
package measure

// Rungs are the rates that are tried, in requests/s: steps of 7 to 50 %, finer
// where the best are told apart.
func Rungs() []int {
	return []int{
		500, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 7500, 10_000, 12_500, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000,
		45_000, 50_000, 55_000, 60_000, 70_000, 80_000, 90_000, 100_000, 110_000, 120_000, 130_000, 140_000, 150_000, 160_000, 180_000, 200_000,
		220_000, 250_000, 300_000,
	}
}

// A Ceiling is the result of a search.
type Ceiling struct {
	Rate int  // highest rung held; 0 when none of those tried was
	Open bool // the rung above was not tried: the true ceiling may be higher
}

// Search finds the highest rung that holds. It begins with the last one not
// above start and climbs from one that holds. From one that is refused it goes
// down, to what was reached there if that is further, and closes in between.
// hold tells whether a rate held, and what was reached; it is asked at most
// tries times, and its error ends the search.
func Search(rungs []int, start float64, tries int, hold func(rate int) (held bool, reached float64, err error)) (Ceiling, error) {
	low, high := -1, len(rungs) // the highest that held, the lowest refused
	for i := max(0, below(rungs, start)); tries > 0 && high-low > 1; tries-- {
		held, reached, err := hold(rungs[i])
		switch {
		case err != nil:
			return Ceiling{}, err
		case held:
			low = i
		default:
			high = i
		}
		switch {
		case high == len(rungs):
			i = low + 1
		case low < 0:
			i = max(0, min(high-1, below(rungs, reached)))
		default:
			i = (low + high) / 2
		}
	}
	c := Ceiling{Open: low >= 0 && high-low > 1 || low == len(rungs)-1}
	if low >= 0 {
		c.Rate = rungs[low]
	}
	return c, nil
}

// below is the last rung not above a rate, −1 for none.
func below(rungs []int, rate float64) int {
	i := len(rungs) - 1
	for i >= 0 && float64(rungs[i]) > rate {
		i--
	}
	return i
}
