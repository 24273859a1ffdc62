// Package plain makes text of somebody else's fit to be shown: what a target puts
// into a header or a body never reaches a terminal or a page as it came.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is the text on one line: line ends and tabs are blanks, and what a
// terminal obeys, or what turns the direction of writing around, is replaced.
func Line(text string) string {
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

// Text is Line for text of several lines, which stay.
func Text(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Line(line)
	}
	return strings.Join(lines, "\n")
}

// Short is Line, cut to so many characters.
func Short(text string, most int) string {
	text = Line(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
