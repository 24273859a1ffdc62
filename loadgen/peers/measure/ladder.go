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
	Open bool // nothing above was refused: the true ceiling may be higher
}

// Search finds the highest rung that holds, from the last one not above start:
// upward until one is refused, else downward until one holds. It asks at most
// tries times. An error of hold ends it.
func Search(rungs []int, start, tries int, hold func(rate int) (bool, error)) (Ceiling, error) {
	i := 0
	for i+1 < len(rungs) && rungs[i+1] <= start {
		i++
	}
	best := Ceiling{Open: true}
	for ; tries > 0 && i >= 0 && i < len(rungs); tries-- {
		held, err := hold(rungs[i])
		switch {
		case err != nil:
			return Ceiling{}, err
		case !held && best.Rate > 0: // climbed as far as it goes
			return Ceiling{Rate: best.Rate}, nil
		case !held:
			best.Open = false // coming down: the next that holds is the highest
			i--
		case best.Open:
			best.Rate = rungs[i]
			i++
		default:
			return Ceiling{Rate: rungs[i]}, nil
		}
	}
	return best, nil
}
