package profiles

import (
	"strings"
	"testing"
	"time"
)

func TestParseBatch(t *testing.T) {
	t.Parallel()
	b, err := ParseBatch("night.yaml", []byte(`
profiles: [bursty-ramp, mine.yaml]
policies: [ewma, static]
sets: ['target.bundled.workers=15']
variants:
  slow: ['target.bundled.tick=4s', 'seed=3']
trials: 12
seed: 7
cooldown: 5s
retries: 2
deadline: "06:30"
max_invalid: 0.1
generators: 2
target: node3
`))
	if err != nil {
		t.Fatal(err)
	}
	if b.Name != "night" || len(b.Profiles) != 2 || b.Trials != 12 || b.Seed != 7 || b.Cooldown != 5*time.Second || b.Retries != 2 || b.Deadline != "06:30" || b.MaxInvalid != 0.1 || b.Generators != 2 || b.Target != "node3" {
		t.Errorf("%+v", b)
	}
	if len(b.Sets) != 1 || len(b.Variants) != 1 || b.Variants[0].Name != "slow" || len(b.Variants[0].Sets) != 2 {
		t.Errorf("%+v", b)
	}
}

func TestParseBatchReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := ParseBatch("b.yaml", []byte("profiles: []\npolicies: [ewma, ewma]\ntrials: 0\ncooldown: 5\nretries: -1\ndeadline: 25:00\nsets: [x]\nmax_invalid: 2\nvariants: {'a b': []}\nnmae: x\ngenerators: 0\ntarget: t\n"))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"b.yaml:1:11", "no profiles", "twice", "trials: 0 is below 1", "cooldown", "retries: -1", "25:00", "key=value", "max_invalid: 2", "a b", "nmae", "did you mean name", "generators: 0 is below 1", "goes with generators",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
	if _, err := LoadBatch("nowhere.yaml"); err == nil || !strings.Contains(err.Error(), "nowhere.yaml") {
		t.Errorf("a file that is not there: %v", err)
	}
}
