package experiment

import (
	"testing"

	"edgebench/profiles"
)

func TestConnectionsByLittlesLaw(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		profile, key, value string
		need, warm          int
	}{
		{"bursty-ramp", "", "", 24, 24}, // 30/s × (500 + 300) ms
		{"bursty-ramp", "connections", "7", 24, 7},
		{"bursty-ramp", "max_in_flight", "5", 24, 5},
		{"constant", "target.url", "http://h", 10, 10}, // 10/s × an assumed second
		{"bursty-ramp-quick", "target.url", "http://h", 450, mostWarmed},
	} {
		var sets []profiles.Set
		if c.key != "" {
			sets = append(sets, profiles.Set{Key: c.key, Value: c.value})
		}
		p, err := profiles.LoadWith(c.profile, sets)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		if need, warm := ConnectionsFor(p, s).Connections, warmed(p, s); need != c.need || warm != c.warm {
			t.Errorf("%s %s=%s: need %d, warm %d; want %d, %d", c.profile, c.key, c.value, need, warm, c.need, c.warm)
		}
	}
}
