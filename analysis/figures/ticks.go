package figures

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// roundTicks labels every tick of a linear axis at steps of 1, 2 or 5 times a
// power of ten, at most so many of them.
type roundTicks struct{ most float64 }

// Ticks implements plot.Ticker.
func (r roundTicks) Ticks(low, high float64) []plot.Tick {
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/r.most)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*factor) <= r.most {
			step *= factor
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		at := k*step + 0 // turns −0 into 0
		ticks = append(ticks, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'g', 6, 64)})
	}
	return ticks
}

// logTicks marks 1 … 9 times every power of ten and labels 1; 2 and 5 too where
// the axis spans less than three decades, all of them below one and a half.
type logTicks struct{}

// roundOut widens a log axis to marks of one digit, so that both ends have one.
func roundOut(a *plot.Axis) {
	for _, end := range []struct {
		at    *float64
		round func(float64) float64
	}{{&a.Min, math.Floor}, {&a.Max, math.Ceil}} {
		power := math.Pow(10, math.Floor(math.Log10(*end.at)))
		*end.at = end.round(*end.at/power) * power
	}
}

// Ticks implements plot.Ticker for 0 < low < high.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	few, all := high/low < 1000, high/low < 30
	var ticks []plot.Tick
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for m := 1.0; m <= 9; m++ {
			at := m * power
			if at < low*(1-1e-9) || at > high*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: at}
			if m == 1 || few && (m == 2 || m == 5) || all {
				t.Label = strconv.FormatFloat(at, 'g', 4, 64)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}
