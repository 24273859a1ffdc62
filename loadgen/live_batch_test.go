package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"edgebench/loadgen/live"
)

// pageOn waits for the address of a command's page.
func pageOn(t testing.TB, c *command) (page *url.URL) {
	t.Helper()
	eventually(t, "the page's address is printed", func() bool {
		_, rest, found := strings.Cut(c.stderr.String(), "live     ")
		if line, _, whole := strings.Cut(rest, "\n"); found && whole {
			page, _ = url.Parse(line)
		}
		return page != nil || c.ended()
	})
	if page == nil {
		t.Fatalf("no page: %s", c.stderr.String())
	}
	return page
}

// follow reads a page's stream until what it tells of a batch is wanted.
func follow(t *testing.T, page *url.URL, wanted func(b *live.Batch, verdict string) bool) *live.Batch {
	t.Helper()
	resp, err := http.Get("http://" + page.Host + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReaderSize(resp.Body, 1<<20)
	var last *live.Batch
	for verdict := ""; ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%v: the last told was %+v", err, last)
		}
		data, ok := strings.CutPrefix(line, "data: ")
		var story struct {
			Batch *live.Batch
			End   *struct{ Verdict string }
		}
		if !ok || json.Unmarshal([]byte(data), &story) != nil {
			continue
		}
		if story.Batch != nil {
			last = story.Batch
		}
		if story.End != nil {
			verdict = story.End.Verdict
		}
		if last != nil && wanted(last, verdict) {
			return last
		}
	}
}

// A batch is watched while it goes on, stopped on its page, resumed, and looked at
// when it is over.
func TestABatchOnItsPage(t *testing.T) {
	t.Parallel()
	const trials = 2 * 3
	dir := batchFolder(t, trials/2)
	c := inFolder(t, dir, "batch", "run", "night.yaml", "--live", ":0")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	page := pageOn(t, c)
	b := follow(t, page, func(b *live.Batch, _ string) bool { return b.Done > 0 })
	if len(b.Trials) != trials || b.Done+b.Failed+b.Running+b.ToDo != trials || b.Name != "night" {
		t.Errorf("told: %+v", b)
	}
	pressStop(t, page)
	c.wantCode(t, c.code(t, c.Wait()), exitIncomplete)
	if said := c.stderr.String(); !strings.Contains(said, "stopped from the live page") {
		t.Errorf("nobody says who stopped it: %s", said)
	}
	resume := inFolder(t, dir, "batch", "resume", "night")
	resume.wantCode(t, resume.code(t, resume.Run()), exitOK)

	// Afterwards, from outside.
	before, err := os.ReadDir(filepath.Join(dir, "night"))
	if err != nil {
		t.Fatal(err)
	}
	later := inFolder(t, dir, "live", "night")
	if err := later.Start(); err != nil {
		t.Fatal(err)
	}
	b = follow(t, pageOn(t, later), func(_ *live.Batch, verdict string) bool { return verdict == "valid" })
	if b.Done != trials || b.ToDo != 0 || b.Trials[0].State != "done" || b.Trials[0].Verdict == "" {
		t.Errorf("told: %+v", b)
	}
	if err := later.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	later.wantCode(t, later.code(t, later.Wait()), exitOK)
	if after, err := os.ReadDir(filepath.Join(dir, "night")); err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%v: the folder held %v, and %v after it was looked at", err, before, after)
	}
}
