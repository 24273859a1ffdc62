package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// A progressLine rewrites one line of a terminal, with blanks and carriage
// returns alone, so that it is the same with and without colours. Anywhere else
// it is silent: a log file wants results, not animation.
type progressLine struct {
	out   io.Writer
	fd    int
	on    bool
	mu    sync.Mutex
	drawn int // columns on the line
}

func newProgressLine(out io.Writer, quiet bool) *progressLine {
	f, ok := out.(*os.File)
	p := &progressLine{out: out}
	if ok {
		p.fd, p.on = int(f.Fd()), animates(f, quiet)
	}
	return p
}

// animates reports whether something may be redrawn there: a terminal that can.
func animates(f *os.File, quiet bool) bool {
	return !quiet && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// show replaces the line, cut to the terminal's width so that it never wraps.
func (p *progressLine) show(text string) {
	if !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	width, _, err := term.GetSize(p.fd)
	if err != nil || width < 20 {
		width = 80
	}
	line := []rune(text)
	line = line[:min(len(line), width-1)]
	blanks := strings.Repeat(" ", max(0, min(p.drawn, width-1)-len(line)))
	fmt.Fprintf(p.out, "\r%s%s", string(line), blanks)
	p.drawn = len(line)
}

// clear removes the line, so that what follows starts on a clean one.
func (p *progressLine) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
}

func (p *progressLine) wipe() {
	if p.drawn > 0 {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.drawn))
		p.drawn = 0
	}
}

// around is a writer whose lines stand above the progress line. Both may be used
// from several goroutines.
func (p *progressLine) around(w io.Writer) io.Writer { return aboveLine{p, w} }

type aboveLine struct {
	line *progressLine
	w    io.Writer
}

func (a aboveLine) Write(text []byte) (int, error) {
	a.line.mu.Lock()
	defer a.line.mu.Unlock()
	a.line.wipe()
	return a.w.Write(text)
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
