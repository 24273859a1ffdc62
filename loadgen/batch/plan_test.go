package batch

import (
	"slices"
	"strings"
	"testing"

	"edgebench/profiles"
)

func TestPlanInterleavesAndPairs(t *testing.T) {
	t.Parallel()
	p := planOf(t, "name: b\nprofiles: [bursty-ramp-quick, two-cycle]\npolicies: [ewma, reactive]\ntrials: 20\nvariants: {short: ['target.bundled.tick=1s'], long: ['target.bundled.tick=4s']}\n")
	if len(p.Trials) != 2*2*2*20 {
		t.Fatalf("%d trials", len(p.Trials))
	}
	orders := map[string]bool{}
	ids := map[string]bool{}
	for block := range 20 {
		var modes []string
		trials := p.Trials[block*8 : block*8+8]
		for _, trial := range trials {
			if trial.Number != block+1 || trial.Seed != trials[0].Seed {
				t.Errorf("block %d: number %d, seed %d beside %d", block, trial.Number, trial.Seed, trials[0].Seed)
			}
			modes = append(modes, trial.Name+" "+trial.Mode)
			ids[trial.ID] = true
		}
		orders[strings.Join(modes, ",")] = true
		slices.Sort(modes)
		if len(slices.Compact(modes)) != 8 {
			t.Errorf("block %d lacks a combination: %v", block, modes)
		}
	}
	if len(orders) < 15 || len(ids) != len(p.Trials) {
		t.Errorf("%d orders of 20 blocks, %d ids of %d trials", len(orders), len(ids), len(p.Trials))
	}
	if again := planOf(t, "name: b\nprofiles: [bursty-ramp-quick]\ntrials: 1\n"); again.Trials[0].Mode != "ewma" {
		t.Errorf("mode %q without policies, want the profile's own", again.Trials[0].Mode)
	}
}

func TestPlanReportsEveryFault(t *testing.T) {
	t.Parallel()
	b, err := profiles.ParseBatch("b.yaml", []byte("name: b\nprofiles: [nowhere, bursty-ramp, bursty-ramp]\nsets: ['seed=x']\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewPlan(b, "test", nil)
	for _, want := range []string{"nowhere", "seed"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q in it", err, want)
		}
	}
	b.Profiles, b.Sets = b.Profiles[1:], nil
	if _, err := NewPlan(b, "test", nil); err == nil || !strings.Contains(err.Error(), "again") {
		t.Errorf("a profile twice: %v", err)
	}
}
