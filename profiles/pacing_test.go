package profiles

import (
	"strings"
	"testing"
	"time"
)

func TestPacingKeys(t *testing.T) {
	t.Parallel()
	const rest = "target: {url: 'http://h'}\nphases: [{name: a, rate: 1/s, for: 1s}]\n"
	exact, send := Precision{Kind: "exact"}, Late{Kind: "send"}
	for _, c := range []struct {
		text      string
		precision Precision
		late      Late
		every     int
	}{
		{"", exact, send, 0},
		{"precision: spin", Precision{Kind: "spin"}, send, 0},
		{"precision: quantum", Precision{Kind: "quantum", Quantum: time.Millisecond}, send, 0},
		{"precision: {quantum: 100us}", Precision{Kind: "quantum", Quantum: 100 * time.Microsecond}, send, 0},
		{"late: drop", exact, Late{Kind: "drop", After: 10 * time.Millisecond}, 0},
		{"late: {drop: {after: 1s}}", exact, Late{Kind: "drop", After: time.Second}, 0},
		{"late: {capped: 150%}", exact, Late{Kind: "capped", Percent: 150}, 0},
		{"late: {capped: 110.1%}\nrows: all", exact, Late{Kind: "capped", Percent: 110.1}, 1},
		{"rows: {sample: 1/7}\nlate: send\nprecision: exact", exact, send, 7},
	} {
		p, err := Parse("p.yaml", []byte(rest+c.text), nil)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if p.Precision != c.precision || p.Late != c.late || p.RowEvery != c.every {
			t.Errorf("%s: %+v %+v %d", c.text, p.Precision, p.Late, p.RowEvery)
		}
		roundTrip(t, p)
	}
	for text, want := range map[string]string{
		"precision: sharp":                       `precision: unknown precision "sharp" (known: exact, quantum, spin)`,
		"precision: {spin: 1ms}":                 "precision.spin: spin has no parameter",
		"late: dropp":                            `late: unknown late policy "dropp", did you mean drop?`,
		"late: {send: 1}":                        "late.send: send has no parameter",
		"late: capped":                           "late: capped at what? Write for example {capped: 150%}",
		"late: {capped: 1.5}":                    `late.capped: "1.5" is not a percentage, write for example 150%`,
		"late: {drop: {before: 1s}}":             "late.drop.before: unknown key",
		"late: drop\nprecision: {quantum: 10ms}": "late: dropped after 10ms is not above the quantum of 10ms",
		"rows: some":                             "rows: unknown choice of rows",
		"rows: sample":                           "rows: sample which share?",
		"rows: {all: 1}":                         "rows.all: all has no parameter",
		"rows: {sample: 1/0}":                    `rows.sample: "1/0" is not a share`,
		"shards: 2000":                           "shards: 2000 is above 1024",
		"precision: [exact]":                     "precision: expected",
		"late: {drop: {after: 2h}}":              "late.drop.after: 2h is above 1h",
		"late: {capped: 1e3%}":                   "is not a percentage",
		"late: {capped: " + strings.Repeat("1", 500) + "%}": "is not a percentage",
	} {
		_, err := Parse("p.yaml", []byte(rest+text), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
