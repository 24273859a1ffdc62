package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

// elsewhere is an address of nobody (RFC 5737): what is refused or not confirmed
// must not even connect to it.
const elsewhere = "http://192.0.2.1/"

func TestAPlanAboveTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "run", "p.yaml", "--max-requests", "100")
	c.wantCode(t, c.code(t, c.Run()), exitUsage)
	if text := c.stderr.String(); !strings.Contains(text, "the plan is 115 requests, 15 more than --max-requests 100") || strings.Contains(text, "starting the worker") {
		t.Errorf("%s", text)
	}
	if _, err := os.Stat(c.Dir + "/runs"); err == nil {
		t.Error("a folder for results was made")
	}
}

// What goes to another machine in numbers wants a yes: the flag's where nobody
// can be asked, an answer's on a terminal.
func TestAnotherMachineIsConfirmed(t *testing.T) {
	t.Parallel()
	for _, of := range []struct{ rate, duration, want string }{
		{"101/s", "1s", "101 requests, up to 101/s, to http://192.0.2.1, which is another machine: say --yes"},
		{"50/s", "201s", "10050 requests, up to 50/s"},
	} {
		c := loadgen(t, "", "run", "--url", elsewhere, "--rate", of.rate, "--duration", of.duration)
		c.wantCode(t, c.code(t, c.Run()), exitUsage)
		if !strings.Contains(c.stderr.String(), of.want) {
			t.Errorf("%q is not in %s", of.want, c.stderr.String())
		}
	}
	batch := loadgen(t, "name: p\ntarget: {url: '"+elsewhere+"'}\nphases: [{name: a, rate: 50/s, for: 100s}]\n", "batch", "run", "b.yaml")
	if err := os.WriteFile(batch.Dir+"/b.yaml", []byte("name: b\nprofiles: [p.yaml]\ntrials: 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	batch.wantCode(t, batch.code(t, batch.Run()), exitUsage)
	if want := "15000 requests, up to 50/s"; !strings.Contains(batch.stderr.String(), want) {
		t.Errorf("%q is not in %s", want, batch.stderr.String())
	}
}

func TestTheQuestionOnATerminal(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct {
		code int
		text string
	}{
		"n\n": {exitUsage, "not confirmed"},
		"\n":  {exitUsage, "not confirmed"},
		"y\n": {exitUnreachable, "target unreachable"}, // went on, and found nobody
	} {
		master, slave := openTerminal(t, 200)
		c := loadgen(t, "", "run", "--url", elsewhere, "--rate", "101/s", "--duration", "1s", "--set", "request.timeout=50ms", "--no-preflight")
		c.Stdin, c.Stderr = slave, slave
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		slave.Close()
		if _, err := io.WriteString(master, answer); err != nil {
			t.Fatal(err)
		}
		screen := make(chan string)
		go func() {
			all, _ := io.ReadAll(master)
			screen <- string(all)
		}()
		code := c.code(t, c.Wait())
		text := <-screen
		if code != want.code || !strings.Contains(text, want.text) || !strings.Contains(text, "About to send 101 requests, up to 101/s, to http://192.0.2.1. Go on? [y/N]") {
			t.Errorf("%q: exit %d, want %d: %s", answer, code, want.code, text)
		}
	}
}
