package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// A progressLine rewrites one line of a terminal. Anywhere else it is silent:
// a log file wants results, not animation.
type progressLine struct {
	out   io.Writer
	fd    int
	on    bool
	drawn bool
}

func newProgressLine(out io.Writer, quiet bool) *progressLine {
	f, ok := out.(*os.File)
	p := &progressLine{out: out}
	if !ok || quiet || os.Getenv("CI") != "" || os.Getenv("TERM") == "dumb" {
		return p
	}
	p.fd = int(f.Fd())
	p.on = term.IsTerminal(p.fd)
	return p
}

// show replaces the line, cut to the terminal's width so that it never wraps.
func (p *progressLine) show(text string) {
	if !p.on {
		return
	}
	width, _, err := term.GetSize(p.fd)
	if err != nil || width < 20 {
		width = 80
	}
	for utf8.RuneCountInString(text) >= width {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	fmt.Fprintf(p.out, "\r%s\x1b[K", text)
	p.drawn = true
}

// clear removes the line, so that what follows starts on a clean one.
func (p *progressLine) clear() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

// join puts the non-empty parts of a line side by side.
func join(parts ...string) string {
	kept := parts[:0]
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "  ")
}
