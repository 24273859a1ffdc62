package fleet

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
)

// maxLine bounds the ready line, in bytes.
const maxLine = 64 << 10

// A firstLine is a writer that hands over the first line written to it and
// drops everything after.
type firstLine struct {
	line  chan []byte // receives the line without its end, once
	fault chan error  // or why there is none, once
	buf   []byte
	done  bool
}

func newFirstLine() *firstLine {
	return &firstLine{line: make(chan []byte, 1), fault: make(chan error, 1)}
}

func (f *firstLine) Write(p []byte) (int, error) {
	if f.done {
		return len(p), nil
	}
	f.buf = append(f.buf, p...)
	line, _, complete := bytes.Cut(f.buf, []byte("\n"))
	switch {
	case complete:
		f.line <- line
	case len(f.buf) > maxLine:
		f.fault <- fmt.Errorf("first line is longer than %d bytes: %.80q…", maxLine, f.buf)
	default:
		return len(p), nil
	}
	f.done, f.buf = true, nil
	return len(p), nil
}

// tailSize bounds what is kept of a node's standard error, in bytes.
const tailSize = 8 << 10

// A tail passes on what is written and keeps the end of it.
type tail struct {
	mu   sync.Mutex
	to   io.Writer // nil for nobody
	kept []byte
	cut  bool
}

// Write never fails: a broken log must not end the node by SIGPIPE.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.to != nil {
		_, _ = t.to.Write(p)
	}
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// String is the kept text; where its begin is cut off it starts with a whole line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.kept)
	if t.cut {
		if _, rest, found := strings.Cut(text, "\n"); found {
			text = rest
		}
		text = "…\n" + text
	}
	return strings.TrimRight(text, "\n")
}
