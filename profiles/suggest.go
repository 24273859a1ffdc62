package profiles

import (
	"strconv"
	"strings"
)

// UnknownName says what is wrong with a name and what could have been meant.
func UnknownName(what, name string, known []string) string {
	text := "unknown " + what + " " + strconv.Quote(clip(name))
	if best := Nearest(name, known); best != "" {
		return text + ", did you mean " + best + "?"
	}
	if len(known) == 0 {
		return text
	}
	return text + " (known: " + listNames(known) + ")"
}

// listNames joins names, a long list cut short.
func listNames(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", …"
}

// Nearest is the known name within two letters, or a third of a long name's, or
// empty. Names of one letter resemble everything, so they are never near.
func Nearest(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	best, least := "", 0
	for _, k := range known {
		d := editDistance(strings.ToLower(name), k)
		if d <= max(min(2, len(k)/2), len(k)/3) && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// editDistance counts insertions, deletions and substitutions of bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
