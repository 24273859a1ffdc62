package convert

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainText reports whether text can stand in YAML and come back as it was.
func plainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && r != '\r' && (unicode.IsControl(r) || r == '\ufeff' || r == utf8.RuneError)
	})
}

// unescaped is a part of a URL without its percent signs, if they mean something.
func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// clip keeps a quoted text short.
func clip(text string) string {
	const most = 60
	text = oneLine(shown(text))
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
