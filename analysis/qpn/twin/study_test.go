package twin

import (
	"fmt"
	"math"
	"testing"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

// stationary is a profile of H2 arrivals at a node of five instances of one
// exponential server each with mu = 3, as in the study's final comparison.
const stationary = `
target: {bundled: {%s, workers: 5, max_workers: 5, service: {exponential: 333333333ns}, tick: 1s, scavenge: 10ms, heap: 1MB, miss: queue}}
request: {timeout: 10h}
arrivals: {h2: {p: 0.2, scv: 2.125}}
phases: [{name: all, rate: %d/s, for: 1h}]
`

// meanResponse plays trials of an hour each and returns the mean response time in
// seconds over them with its standard error.
func meanResponse(t *testing.T, node string, rate, trials int) (mean, stderr float64) {
	t.Helper()
	var sum, squares float64
	for seed := range trials {
		p, err := profiles.Parse("h2.yaml", []byte(fmt.Sprintf(stationary, node, rate)), nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Seed = uint64(seed + 1)
		w, err := Trial{Profile: p, Start: 1, Overhead: 1, Phase: -1}.World()
		if err != nil {
			t.Fatal(err)
		}
		schedule, err := p.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		var total time.Duration
		n := 0
		w.Answered = func(s *rundir.Sample) {
			total += time.Duration(s.Done - s.Scheduled)
			n++
		}
		w.Play(schedule.Stream(), schedule.Duration(), p.DrainTimeout)
		r := total.Seconds() / float64(n)
		sum += r
		squares += r * r
	}
	k := float64(trials)
	mean = sum / k
	return mean, math.Sqrt(max(0, squares/k-mean*mean) / (k - 1))
}

// TestExactModels sets the node's own pool, policies and dispatch rules beside
// exact solutions of the queueing models they stand for (queueing.csv), and MBS
// beside simulations of its definition, with the half-width of their interval.
// Round robin goes to the next active instance after the last (the model mbs with
// routing=next-active), not to the next place in the list of active ones, for which
// R is 0.948 and 1.046 s.
func TestExactModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, node   string
		rate         int
		want, within float64
	}{
		{"SPR is H2/M/5", "policy: {spr: {keep: 100000}}", 10, 0.45296, 0},
		{"CLS 5×3", "policy: {cls: {keep: 100000}}", 5, 0.70756, 0},
		{"CLS 5×3", "policy: {cls: {keep: 100000}}", 10, 0.82770, 0},
		{"CLS 5×3, shortest queue", "policy: {cls: {keep: 100000}}, dispatch: least-loaded", 10, 0.50529, 0},
		{"CLS 5×3, every token a server", "policy: {cls: {keep: 100000}}, servers: 3", 10, 0.33333, 0},
		{"MBS round robin 0.7", "policy: mbs", 5, 0.8712, 0.006},
		{"MBS round robin 0.7", "policy: mbs", 10, 1.007, 0.009},
		{"MBS round robin 0.9", "policy: {mbs: {threshold: 0.9}}", 10, 1.208, 0.016},
		{"MBS random 0.7", "policy: mbs, dispatch: random", 10, 1.700, 0.05},
		{"MBS probabilistic 0.7", "policy: mbs, dispatch: probabilistic", 10, 1.838, 0.06},
	} {
		t.Run(fmt.Sprintf("%s at %d", c.name, c.rate), func(t *testing.T) {
			t.Parallel()
			mean, stderr := meanResponse(t, c.node, c.rate, 6)
			t.Logf("R %.4f ± %.4f s, reference %.4f", mean, 2.57*stderr, c.want)
			if math.Abs(mean-c.want) > 5*stderr+c.within {
				t.Errorf("R %.4f s, standard error %.4f; want %.4f", mean, stderr, c.want)
			}
		})
	}
}
