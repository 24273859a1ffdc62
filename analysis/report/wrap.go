package report

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks prose at its blanks into lines that end within width columns. The
// first line begins at column first, where it already stands; the others are
// indented. A word that is wider stands alone.
func Wrap(text string, first, indent, width int) string {
	var b strings.Builder
	column := first
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n <= width:
			b.WriteByte(' ')
			column++
		default:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// wrapped is Wrap as lines from column 0.
func wrapped(text string, width int) []string {
	if text = Wrap(text, 0, 0, width); text != "" {
		return strings.Split(text, "\n")
	}
	return nil
}
