package profiles

import "testing"

func TestRequestsKnowTheirPlaces(t *testing.T) {
	t.Parallel()
	const text = "target: {bundled: {}}\nrequest:\n  headers: [\"A: ${A}\"]\n  body:\n    file: b.json\nphases: [{name: a, rate: 1/s, for: 1s}]\n" +
		"functions:\n  - {name: f}\n  - {name: g, request: {csv: {file: u.csv}}}\n"
	p, err := Parse("my.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"request.headers[0]":              "my.yaml:3:13: request.headers[0]: no",
		"request.body.file":               "my.yaml:5:11: request.body.file: no",
		"functions[0].request.headers[0]": "my.yaml:3:13: functions[0].request.headers[0]: no", // what all have
		"functions[1].request.csv.file":   "my.yaml:9:37: functions[1].request.csv.file: no",
	} {
		if got := p.Fault(key, "no").Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestThresholdsKnowTheirPlaces(t *testing.T) {
	t.Parallel()
	const text = "target: {bundled: {}}\nphases: [{name: a, rate: 1/s, for: 1s}]\nthresholds:\n  - error_rate < 1%\n  - lag.p98 < 1s\n"
	p, err := Parse("my.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.AddThreshold("--threshold", "x < 1")
	for key, want := range map[string]string{
		"thresholds[1]":  "my.yaml:5:5: thresholds[1]: no",
		"thresholds[2]":  "--threshold: no",
		"thresholds[9]":  "my.yaml:4:3: thresholds[9]: no", // where the list is
		"cold.threshold": "profile my: cold.threshold: no",
	} {
		if got := p.Fault(key, "no").Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	set, err := Parse("my.yaml", []byte(text), []Set{{Key: "thresholds", Value: "[lag.p98 < 1s]"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Fault("thresholds[0]", "no").Error(); got != "--set thresholds: thresholds[0]: no" {
		t.Errorf("%q", got)
	}
}
