package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/term"

	"os"
)

// A board shows a line for each node, redrawn in place on a terminal. Elsewhere it
// is silent: the summary says how everything ended.
type board struct {
	out   io.Writer
	fd    int
	on    bool
	width int // of the names

	mu    sync.Mutex
	nodes []string
	texts map[string]string
	drawn int // lines
}

func newBoard(out io.Writer, quiet bool, nodes []string) *board {
	b := &board{out: out, nodes: nodes, texts: map[string]string{}}
	for _, n := range nodes {
		b.width = max(b.width, len(n))
	}
	if f, ok := out.(*os.File); ok {
		b.fd = int(f.Fd())
		b.on = animates(f, quiet)
	}
	return b
}

func (b *board) tell(node, text string) {
	if !b.on {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts[node] = text
	b.draw()
}

// draw begins where the last drawing did; each line is cut so that it never wraps.
func (b *board) draw() {
	width, height, err := term.GetSize(b.fd)
	if err != nil || width < 20 {
		width, height = 80, 24
	}
	shown := b.nodes[:min(len(b.nodes), max(1, height-2))] // what scrolled away cannot be redrawn
	var text strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&text, "\x1b[%dA", b.drawn)
	}
	for _, n := range shown {
		line := []rune(fmt.Sprintf("%-*s  %s", b.width, n, b.texts[n]))
		fmt.Fprintf(&text, "\r\x1b[K%s\n", string(line[:min(len(line), width-1)]))
	}
	b.drawn = len(shown)
	_, _ = io.WriteString(b.out, text.String())
}

// clear removes the lines, so that the summary stands in their place.
func (b *board) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drawn > 0 {
		fmt.Fprintf(b.out, "\x1b[%dA\x1b[J", b.drawn)
		b.drawn = 0
	}
}
