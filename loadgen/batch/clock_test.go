package batch

import (
	"strings"
	"testing"
	"time"

	"edgebench/profiles"
)

// A clock that is 300 ms ahead, over ways that take as long there as back, or
// all of it on one side: the offset is off by no more than what is said.
func TestOffset(t *testing.T) {
	t.Parallel()
	const ahead = int64(300e6)
	exchange := func(there, back int64) reading { return reading{1000e6, 1000e6 + there + ahead, 1000e6 + there + back} }
	for name, c := range map[string]struct {
		readings []reading
		want     time.Duration
	}{
		"as long there as back": {[]reading{exchange(2e6, 2e6)}, 2 * time.Millisecond},
		"all on the way there":  {[]reading{exchange(4e6, 0)}, 2 * time.Millisecond},
		"all on the way back":   {[]reading{exchange(0, 5e6)}, 2500 * time.Microsecond},
		"the quickest counts":   {[]reading{exchange(9e6, 0), exchange(1e5, 1e5), exchange(0, 7e6)}, 100 * time.Microsecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			off, uncertainty := offset(c.readings)
			if d := off - time.Duration(ahead); max(d, -d) > uncertainty || uncertainty != c.want {
				t.Errorf("%v ± %v, the truth is %v", off, uncertainty, time.Duration(ahead))
			}
		})
	}
}

// Whoever is there is taken by name; who is missing is told.
func TestChoose(t *testing.T) {
	t.Parallel()
	present := []stage{
		{Member: "g1", Role: RoleGenerator, Version: "v"}, {Member: "g2", Role: RoleGenerator, Version: "old"},
		{Member: "g3", Role: RoleGenerator, Version: "v"}, {Member: "g4", Role: RoleGenerator, Version: "v"},
		{Member: "t1", Role: RoleTarget, Version: "v"}, {Member: "t2", Role: RoleTarget, Version: "v"},
	}
	for name, c := range map[string]struct {
		batch           profiles.Batch
		members, missed string
	}{
		"two of three":     {profiles.Batch{Generators: 2}, "g1 g3 t1", ""},
		"a target by name": {profiles.Batch{Generators: 1, Target: "t2"}, "g1 t2", ""},
		"one too few":      {profiles.Batch{Generators: 4}, "g1 g3 g4 t1", "1 of 4 generators"},
		"no such target":   {profiles.Batch{Generators: 1, Target: "t3"}, "g1", "the target t3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &group{Conductor: &Conductor{Batch: &c.batch, Version: "v"}}
			missing := g.choose(present, true)
			if got := strings.Join(g.members(), " "); got != c.members || !strings.Contains(missing, c.missed) || (c.missed == "") != (missing == "") {
				t.Errorf("%s, missing %q; want %s, missing %q", got, missing, c.members, c.missed)
			}
		})
	}
}

func TestMisplaced(t *testing.T) {
	t.Parallel()
	together, alone := &profiles.Batch{Generators: 2}, &profiles.Batch{}
	for _, c := range []struct {
		batch *profiles.Batch
		role  string
		fine  bool
	}{{together, RoleGenerator, true}, {together, RoleTarget, true}, {together, roleConductor, true}, {together, "", false}, {alone, "", true}, {alone, RoleGenerator, false}} {
		if why := misplaced(c.batch, c.role); (why == "") != c.fine {
			t.Errorf("role %q among %d generators: %q", c.role, c.batch.Generators, why)
		}
	}
}
