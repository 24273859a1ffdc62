package profiles

import "testing"

func TestThresholdsKnowTheirPlaces(t *testing.T) {
	t.Parallel()
	const text = "target: {bundled: {}}\nphases: [{name: a, rate: 1/s, for: 1s}]\nthresholds:\n  - error_rate < 1%\n  - lag.p98 < 1s\n"
	p, err := Parse("my.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.AddThreshold("--threshold", "x < 1")
	for key, want := range map[string]string{
		"thresholds[1]": "my.yaml:5:5: thresholds[1]: no",
		"thresholds[2]": "--threshold: no",
		"thresholds[9]": "profile my: thresholds[9]: no",
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
