package profiles

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want time.Duration
		err  string // part of the error
	}{
		{"1m30s", 90 * time.Second, ""},
		{"500ms", 500 * time.Millisecond, ""},
		{"1.5h", 90 * time.Minute, ""},
		{"33.333333ms", 33333333, ""},
		{"10µs", 10 * time.Microsecond, ""},
		{"1d", 24 * time.Hour, ""},
		{"1.5d", 36 * time.Hour, ""},
		{"2d12h", 60 * time.Hour, ""},
		{"0s", 0, ""},
		{"010s", 10 * time.Second, ""}, // the unit leaves nothing to mistake
		{"0", 0, "missing unit, write for example 0s"},
		{"010", 0, "010: missing unit, write for example 10s or 10ms"},
		{"90", 0, "missing unit, write for example 90s"},
		{"1e3", 0, "missing unit"},
		{"010", 0, "missing unit"},
		{"-90", 0, "missing unit"},
		{"-1s", 0, "-1s is below 0"},
		{"2k", 0, "not a duration"},
		{"1e3s", 0, "not a duration"},
		{"+1s", 0, "not a duration"},
		{"1d5", 0, "not a duration"},
		{"1d-5s", 0, "not a duration"},
		{"d", 0, "not a duration"},
		{"1dd", 0, "not a duration"},
		{"200000d", 0, "not a duration"},
		{"106751d23h59m", 0, "not a duration"},
		{"nan", 0, "not a duration"},
		{"infs", 0, "not a duration"},
		{"", 0, "not a duration"},
		{"1 s", 0, "not a duration"},
		{"1S", 0, "not a duration"},
		{strings.Repeat("1s", 300), 0, "not a duration"},
	}
	for _, tt := range tests {
		t.Run(clip(tt.text), func(t *testing.T) {
			t.Parallel()
			got, err := ParseDuration(tt.text)
			checkUnit(t, got, tt.want, err, tt.err)
		})
	}
}

func TestParseRate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want float64
		err  string
	}{
		{"2/s", 2, ""},
		{"6/m", 0.1, ""},
		{"0.1/s", 0.1, ""},
		{".5/s", 0.5, ""},
		{"36/h", 0.01, ""},
		{"2k/s", 2000, ""},
		{"1.5M/m", 25000, ""},
		{"0", 0, ""},
		{"0/s", 0, ""},
		{"10000000/s", 1e7, ""},
		{"1000M/s", 1e9, ""},
		{"10", 0, "missing unit, write for example 10/s"},
		{"0.0", 0, "missing unit"},
		{"1e3", 0, "missing unit"},
		{"1e3/s", 0, "not a rate"},
		{"-2/s", 0, "below 0"},
		{"2K/s", 0, `unknown multiplier "K"`},
		{"2/min", 0, `unknown unit "min"`},
		{"2/", 0, "not a rate"},
		{"2k", 0, "not a rate"},
		{"/s", 0, "not a rate"},
		{"2 /s", 0, "not a rate"},
		{"nan/s", 0, "not a rate"},
		{".inf", 0, "not a rate"},
		{"1001M/s", 0, "above the highest rate"},
		{strings.Repeat("9", 390) + "/s", 0, "above the highest rate"},
		{"0." + strings.Repeat("0", 500) + "1/s", 0, "not a rate"},
	}
	for _, tt := range tests {
		t.Run(clip(tt.text), func(t *testing.T) {
			t.Parallel()
			got, err := ParseRate(tt.text)
			checkUnit(t, got, tt.want, err, tt.err)
		})
	}
}

func TestParseSize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int64
		err  string
	}{
		{"100MB", 100e6, ""},
		{"64MiB", 64 << 20, ""},
		{"1GiB", 1 << 30, ""},
		{"1.5KB", 1500, ""},
		{"0B", 0, ""},
		{"512B", 512, ""},
		{"100", 0, "missing unit"},
		{"100mb", 0, `unknown unit "mb"`},
		{"0.3B", 0, "not a whole number"},
		{"9999999GiB", 0, "too large"},
		{"-1MB", 0, "not a size"},
		{"MB", 0, "not a size"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got, err := ParseSize(tt.text)
			checkUnit(t, got, tt.want, err, tt.err)
		})
	}
}

func checkUnit[T comparable](t *testing.T, got, want T, err error, part string) {
	t.Helper()
	if part != "" {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, error %v; want an error with %q", got, err, part)
		}
		return
	}
	if err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestNumbersArePlainDecimal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"010", "00", "0x10", "0o10", "0b1", "1_000", "+1", "1.0", "1e3", "", " 1", "99999999999999999999"} {
		if n, err := parseInteger(text); err == nil {
			t.Errorf("%q is accepted as %d", text, n)
		}
	}
	for _, text := range []string{".nan", ".inf", "-.inf", "NaN", "Inf", "010", "0x1p3", "1_0.0", "1e999", "+1", "", "."} {
		if x, err := parseNumber(text); err == nil {
			t.Errorf("%q is accepted as %v", text, x)
		}
	}
	for text, want := range map[string]float64{"0": 0, "-1.5": -1.5, ".5": 0.5, "1e3": 1000, "2.": 2} {
		if x, err := parseNumber(text); err != nil || x != want {
			t.Errorf("%q is %v, %v", text, x, err)
		}
	}
}

// Whatever a parser accepts is in range, and its formatted text reads back the same.
func FuzzUnits(f *testing.F) {
	for _, text := range []string{"1m30s", "500ms", "2k", "1d", "1.5h", "90", "1e3", "010", "-1s", "2/s", "6/m", "0.1/h", "2k/s", "100MB", "64MiB", "0", "1d1d", "0.3333/s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := ParseDuration(text); err == nil {
			if again, err := ParseDuration(formatDuration(d)); err != nil || again != d || d < 0 {
				t.Errorf("%q is %v, then %v (%v)", text, d, again, err)
			}
		}
		if r, err := ParseRate(text); err == nil {
			if again, err := ParseRate(formatRate(r)); err != nil || again != r || !(r >= 0 && r <= MaxRate) || math.Signbit(r) {
				t.Errorf("%q is %v, then %v (%v)", text, r, again, err)
			}
		}
		if n, err := ParseSize(text); err == nil {
			if again, err := ParseSize(formatSize(n)); err != nil || again != n || n < 0 {
				t.Errorf("%q is %v, then %v (%v)", text, n, again, err)
			}
		}
	})
}
