package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// none stands where nothing was measured.
const none = "–"

// duration writes nanoseconds with three digits and their unit.
func duration(ns *int64) string {
	if ns == nil {
		return none
	}
	v, unit := float64(*ns), "ns"
	for _, larger := range []string{"µs", "ms", "s"} {
		if math.Abs(v) < 999.5 { // 999.6 µs would print as 1000 µs
			break
		}
		v, unit = v/1000, larger
	}
	return digits(v) + " " + unit
}

// digits writes v with three significant digits, and whole above 100.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == math.Trunc(a) && a < 1000 || a >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// count writes a number with thousands separators.
func count(n uint64) string {
	text := strconv.FormatUint(n, 10)
	var b strings.Builder
	for i, c := range text {
		if i > 0 && (len(text)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// counted is count with its noun, "1 cycle" or "4 cycles".
func counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// size writes a size in decimal units.
func size(n *int64) string {
	if n == nil {
		return none
	}
	v, unit := float64(*n), "B"
	for _, larger := range []string{"kB", "MB", "GB", "TB"} {
		if math.Abs(v) < 999.5 {
			break
		}
		v, unit = v/1000, larger
	}
	return digits(v) + " " + unit
}

// byteSeconds writes a size integrated over time.
func byteSeconds(v *float64) string {
	if v == nil {
		return none
	}
	return size(new(int64(*v))) + "·s"
}

func seconds(v *float64) string {
	if v == nil {
		return none
	}
	return digits(*v) + " s"
}

// number writes a mean or a ratio.
func number(v *float64) string {
	if v == nil {
		return none
	}
	return digits(*v)
}

// rate writes requests/s with one decimal: 450/15 s is 30.0, not 30.0000001.
func rate(v *float64) string {
	if v == nil {
		return none
	}
	return strconv.FormatFloat(*v, 'f', 1, 64)
}

// ratio writes a share of 0..1 as it is.
func ratio(v *float64) string {
	if v == nil {
		return none
	}
	return strconv.FormatFloat(*v, 'f', 2, 64)
}

// percent writes a share of 0..1.
func percent(v *float64) string {
	if v == nil {
		return none
	}
	return strconv.FormatFloat(100**v, 'f', 1, 64) + " %"
}

func whole(n *uint64) string {
	if n == nil {
		return none
	}
	return count(*n)
}

func integer(n *int64) string {
	if n == nil {
		return none
	}
	return strconv.FormatInt(*n, 10)
}

// clock writes a length of a run as 5m09s.
func clock(ns int64) string {
	d := time.Duration(ns).Round(time.Second)
	if time.Duration(ns) < 10*time.Second {
		return digits(time.Duration(ns).Seconds()) + "s"
	}
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%dh%02dm%02ds", h, m, s)
	case m > 0:
		return fmt.Sprintf("%dm%02ds", m, s)
	}
	return fmt.Sprintf("%ds", s)
}

func shareOf(part *uint64, whole uint64) *float64 {
	if part == nil || whole == 0 {
		return nil
	}
	return new(float64(*part) / float64(whole))
}
