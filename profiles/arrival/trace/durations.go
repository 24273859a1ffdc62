package trace

import (
	"math"
	"strconv"
	"time"

	"edgebench/profiles/arrival"
)

// durations reads the average duration of each selected function, in milliseconds
// and without cold starts, as the service time asked of it. Real files lack
// functions that were called, have some that were not, averages of 0 beside
// counts, and counts that are not the sum of the minutes: notes say how many.
func (r *reading) durations(file string, called map[string]*tally, series []arrival.Series, place map[string]int) error {
	var key, values []int
	seen := map[string]bool{}
	var foreign, twice, unknown, differing int
	err := r.readTable(file, func(t *table) {
		names := append(append([]string(nil), keyColumns...), "Average", "Count")
		at := t.columns(names...)
		t.required(at, names...)
		key, values = at[:3], at[3:]
	}, func(t *table) {
		k, ok := keyOf(t, key)
		if !ok {
			return
		}
		average, ok := t.number(values[0])
		count, okCount := t.number(values[1])
		if !ok || !okCount {
			return
		}
		sum := called[k]
		switch {
		case sum == nil:
			foreign++
			return
		case seen[k]:
			twice++
			return
		}
		seen[k] = true
		if count != float64(sum.all) {
			differing++
		}
		i, selected := place[k]
		switch {
		case !selected:
		case !(average > 0):
			unknown++
		default:
			series[i].Service = time.Duration(math.Round(min(average*1e6, float64(arrival.MaxLength))))
		}
	})
	if err != nil {
		return err
	}
	missing := 0
	for _, s := range series {
		if !seen[s.Name] {
			missing++
		}
	}
	r.noteCount(missing, "selected functions without a duration, of which no service time is asked: %d")
	r.noteCount(unknown, "selected functions with an average duration of 0, of which no service time is asked: %d")
	r.noteCount(foreign, "durations of functions that have no counts: %d")
	r.noteCount(twice, "durations of functions that had one already, where the first counts: %d")
	r.noteCount(differing, "functions whose count beside their duration is not the sum of their columns: %d")
	return nil
}

// number reads a finite number; an empty field is 0.
func (t *table) number(i int) (float64, bool) {
	if len(t.fields[i]) == 0 {
		return 0, true
	}
	x, err := strconv.ParseFloat(string(t.fields[i]), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		t.fault(i, "%q is not a finite number", clip(t.fields[i]))
		return 0, false
	}
	return x, true
}
