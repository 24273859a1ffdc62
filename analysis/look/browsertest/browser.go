// Package browsertest drives a real, headless browser in tests, over the pipe
// Chromium offers for it: no port, no driver, no dependency. A browser that is
// not installed skips the test with the reason.
package browsertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// programs are the names a browser that understands the protocol goes by.
var programs = []string{"chromium", "chromium-browser", "google-chrome"}

// A Browser is a running browser. It ends with the test.
type Browser struct {
	t     testing.TB
	in    io.Writer
	mu    sync.Mutex
	next  int
	calls map[int]chan answer
	pages map[string]*Page // by session
	gone  chan struct{}    // closed when the browser says nothing more
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Start starts a browser with a profile of its own.
func Start(t testing.TB) *Browser {
	t.Helper()
	path := ""
	for _, name := range programs {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" || testing.Short() {
		t.Skip("no browser installed (Debian: chromium), or -short")
	}
	commandsIn, commands, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, answersOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
		"--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{commandsIn, answersOut} // its descriptors 3 and 4
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Skipf("%s does not start here: %v", path, err)
	}
	commandsIn.Close()
	answersOut.Close()
	b := &Browser{t: t, in: commands, calls: map[int]chan answer{}, pages: map[string]*Page{}, gone: make(chan struct{})}
	go b.listen(answers)
	t.Cleanup(func() {
		b.ask("", "Browser.close", nil, nil)
		<-b.gone
		commands.Close()
		answers.Close()
		if err := cmd.Wait(); err != nil && t.Failed() {
			t.Logf("%s: %v\n%s", path, err, said.String())
		}
	})
	return b
}

// listen takes what the browser says: answers, and events of pages.
func (b *Browser) listen(r io.Reader) {
	defer close(b.gone)
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID      int             `json:"id"`
			Session string          `json:"sessionId"`
			Method  string          `json:"method"`
			Params  json.RawMessage `json:"params"`
			answer
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		call, page := b.calls[m.ID], b.pages[m.Session]
		delete(b.calls, m.ID)
		b.mu.Unlock()
		switch {
		case m.ID != 0 && call != nil:
			call <- m.answer
		case page != nil:
			page.heard(m.Method, m.Params)
		}
	}
}

// budget is a safety net against a browser that hangs, no claim about speed.
const budget = time.Minute

// ask calls a method of the protocol and decodes its result.
func (b *Browser) ask(session, method string, params, result any) {
	b.t.Helper()
	b.mu.Lock()
	b.next++
	id, call := b.next, make(chan answer, 1)
	b.calls[id] = call
	m := map[string]any{"id": id, "method": method}
	if session != "" {
		m["sessionId"] = session
	}
	if params != nil {
		m["params"] = params
	}
	text, err := json.Marshal(m)
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		b.t.Fatalf("browser: %s: %v", method, err)
	}
	select {
	case a := <-call:
		if a.Error != nil {
			b.t.Fatalf("browser: %s: %s", method, a.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(a.Result, result); err != nil {
				b.t.Fatalf("browser: %s: %v", method, err)
			}
		}
	case <-b.gone:
		if method != "Browser.close" {
			b.t.Fatalf("browser: it ended during %s", method)
		}
	case <-time.After(budget):
		b.t.Fatalf("browser: no answer to %s", fmt.Sprint(method))
	}
}
