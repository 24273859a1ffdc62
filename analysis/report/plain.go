package report

import (
	"strings"
	"unicode"
)

// Plain is text of somebody else's as it may stand on one line of a terminal or
// a page: control characters, which terminals obey, and those that turn the
// direction of writing around are replaced.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}
