package profiles

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// MaxRate is the highest rate a profile may ask for, in requests/s.
const MaxRate = 1e9

// maxUnitText bounds what the unit parsers look at.
const maxUnitText = 400

var bareNumber = regexp.MustCompile(`^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$`)

// ParseDuration reads "1m30s", "500ms", "1.5h" as time.ParseDuration does, and
// days of 24 h in front: "1d", "1.5d", "2d12h". It refuses a number without a
// unit, also 0, and anything below zero.
func ParseDuration(text string) (time.Duration, error) {
	switch {
	case bareNumber.MatchString(text):
		plain := clip(trimZeros(text))
		return 0, fmt.Errorf("%s: missing unit, write for example %ss or %sms", clip(text), plain, plain)
	case strings.HasPrefix(text, "-"):
		return 0, fmt.Errorf("%s is below 0", clip(text))
	}
	bad := fmt.Errorf("%q is not a duration, write for example 500ms, 1m30s, 1.5h or 2d", clip(text))
	if text == "" || text[0] == '+' || len(text) > maxUnitText {
		return 0, bad
	}
	var days time.Duration
	if before, after, ok := strings.Cut(text, "d"); ok {
		hours, err := time.ParseDuration(before + "h")
		if err != nil || hours > (1<<63-1)/24 || !bareNumber.MatchString(before) {
			return 0, bad
		}
		if days = 24 * hours; after == "" {
			return days, nil
		}
		text = after
	}
	d, err := time.ParseDuration(text)
	if err != nil || text[0] == '-' || text[0] == '+' || bareNumber.MatchString(text) {
		return 0, bad
	}
	if days+d < 0 {
		return 0, bad
	}
	return days + d, nil
}

// formatDuration is read back exactly by ParseDuration.
func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

var ratePattern = regexp.MustCompile(`^(\d+(?:\.\d+)?|\.\d+)([A-Za-z]*)/([A-Za-z]+)$`)

// ParseRate reads "2/s", "6/m", "0.1/h", "2k/s", "1.5M/s": requests a second,
// minute or hour, k = 1,000 and M = 1,000,000, as requests/s from 0 to MaxRate.
// 0 alone is silence; any other number without a unit is refused.
func ParseRate(text string) (float64, error) {
	if text == "0" {
		return 0, nil
	}
	if len(text) > maxUnitText {
		return 0, fmt.Errorf("%q is not a rate", clip(text))
	}
	if strings.HasPrefix(text, "-") {
		return 0, fmt.Errorf("%s is below 0", text)
	}
	if bareNumber.MatchString(text) {
		plain := trimZeros(text)
		return 0, fmt.Errorf("%s: missing unit, write for example %s/s, %s/m or %s/h", text, plain, plain, plain)
	}
	parts := ratePattern.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("%q is not a rate, write for example 2/s, 6/m, 0.1/s or 2k/s", clip(text))
	}
	scale, ok := map[string]float64{"": 1, "k": 1e3, "M": 1e6}[parts[2]]
	if !ok {
		return 0, fmt.Errorf("%q: unknown multiplier %q (k = 1,000, M = 1,000,000)", text, parts[2])
	}
	seconds, ok := map[string]float64{"s": 1, "m": 60, "h": 3600}[parts[3]]
	if !ok {
		return 0, fmt.Errorf("%q: unknown unit %q (s, m or h)", text, parts[3])
	}
	number, err := strconv.ParseFloat(parts[1], 64)
	// Scaled first and divided once, so that 6/m is 0.1 as nearly as 0.1/s is.
	rate := number * scale / seconds
	if err != nil || rate > MaxRate {
		return 0, fmt.Errorf("%s is above the highest rate, %s", text, formatRate(MaxRate))
	}
	return rate, nil
}

// formatRate is read back exactly by ParseRate.
func formatRate(r float64) string { return strconv.FormatFloat(r, 'f', -1, 64) + "/s" }

// sizeUnits from the largest, so that formatSize finds the shortest exact text.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"KB", 1e3}, {"B", 1},
}

var sizePattern = regexp.MustCompile(`^(\d+(?:\.\d+)?)([A-Za-z]+)$`)

// ParseSize reads "100MB" (100,000,000 bytes), "64MiB" (64 · 2²⁰ bytes), "512B":
// B, KB, MB, GB, KiB, MiB, GiB. A number without a unit is refused.
func ParseSize(text string) (int64, error) {
	if len(text) > maxUnitText {
		return 0, fmt.Errorf("%q is not a size", clip(text))
	}
	if bareNumber.MatchString(text) {
		plain := trimZeros(text)
		return 0, fmt.Errorf("%s: missing unit, write for example %sMB or %sMiB", text, plain, plain)
	}
	parts := sizePattern.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("%q is not a size, write for example 100MB or 64MiB", clip(text))
	}
	for _, u := range sizeUnits {
		if u.name != parts[2] {
			continue
		}
		number, err := strconv.ParseFloat(parts[1], 64)
		bytes := number * float64(u.bytes)
		if err != nil || bytes > 1<<50 {
			return 0, fmt.Errorf("%s is too large", text)
		}
		if bytes != float64(int64(bytes)) {
			return 0, fmt.Errorf("%s is not a whole number of bytes", text)
		}
		return int64(bytes), nil
	}
	return 0, fmt.Errorf("%q: unknown unit %q (B, KB, MB, GB, KiB, MiB or GiB)", text, parts[2])
}

// formatSize is read back exactly by ParseSize.
func formatSize(bytes int64) string {
	for _, u := range sizeUnits {
		if bytes != 0 && bytes%u.bytes == 0 {
			return strconv.FormatInt(bytes/u.bytes, 10) + u.name
		}
	}
	return "0B"
}

var (
	plainInteger = regexp.MustCompile(`^-?(0|[1-9]\d*)$`)
	plainNumber  = regexp.MustCompile(`^-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?$`)
	octalLike    = regexp.MustCompile(`^[-+]?0[\d_]+$`)
)

// parseInteger reads a plain decimal integer; YAML's octal, hexadecimal, binary
// and underscored forms are refused, because readers disagree about them.
func parseInteger(text string) (int64, error) {
	if octalLike.MatchString(text) {
		return 0, fmt.Errorf("%s looks octal, write it without the leading 0", clip(text))
	}
	if !plainInteger.MatchString(text) {
		return 0, fmt.Errorf("%q is not a whole number in plain decimal digits", clip(text))
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is too large", clip(text))
	}
	return n, nil
}

// parseNumber reads a finite decimal number, as strictly as parseInteger.
func parseNumber(text string) (float64, error) {
	if octalLike.MatchString(text) {
		return 0, fmt.Errorf("%s looks octal, write it without the leading 0", clip(text))
	}
	if !plainNumber.MatchString(text) {
		return 0, fmt.Errorf("%q is not a finite decimal number", clip(text))
	}
	x, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is too large", clip(text))
	}
	return x, err
}

// clip keeps a quoted text short.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// trimZeros is a number without leading zeros: what is suggested is plain.
func trimZeros(text string) string {
	short := strings.TrimLeft(text, "0")
	if short == "" || short[0] == '.' {
		return "0" + short
	}
	return short
}
