package report

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// opened opens a page in a headless browser, lets its scripts run, and returns
// the document they left. What they write on the console is an error.
func opened(t *testing.T, path string) string {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			browser = found
			break
		}
	}
	if browser == "" || testing.Short() {
		t.Skip("no browser, or -short")
	}
	// The budget is a safety net against a browser that hangs, not a claim about speed.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
		"--disable-background-networking", "--disable-component-update", "--enable-logging=stderr", "--window-size=390,844",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=5000", "--dump-dom", "file://"+path)
	var log strings.Builder
	cmd.Stderr = &log
	dom, err := cmd.Output()
	if err != nil {
		t.Skipf("%s does not start here: %v\n%s", browser, err, log.String())
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("console: %s", line)
		}
	}
	return string(dom)
}

// visitor does what a reader does and leaves what came of it in the document:
// sorts the table of phases by its p99 twice, by the keyboard's way; counts the
// drawings that have a size and the resources that were loaded; and tells
// whether the page is wider than the window.
const visitor = `<script>
const visit = () => {
  if (document.body.dataset.charts === undefined) return setTimeout(visit);
  const table = Array.from(document.querySelectorAll("section")).find(s => s.querySelector("h2")?.textContent === "Phases").querySelector("table");
  const heads = Array.from(table.tHead.rows[0].cells), k = heads.findIndex(h => h.textContent === "p99");
  const column = () => Array.from(table.tBodies[0].rows, r => r.cells[k].dataset.v).join(" ");
  const out = document.body.dataset, button = heads[k].querySelector("button");
  button.focus();
  out.focused = document.activeElement === button;
  button.click();
  out.down = column();
  button.click();
  out.up = column();
  // The first group goes, by its button, from every chart; then it comes back by
  // the name in a legend, from the keyboard.
  const off = () => document.querySelectorAll(".u-series.u-off:not(.range)").length;
  const toggle = document.querySelector(".toggles button");
  toggle.click();
  out.hidden = off() + " " + toggle.getAttribute("aria-pressed");
  const name = document.querySelector(".u-series.u-off:not(.range) th");
  name.focus();
  name.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  out.back = off();
  out.canvases = document.querySelectorAll(".uplot canvas").length;
  out.words = Array.from(document.querySelectorAll(".plot"), p => p.getAttribute("aria-label")).filter(s => / from .* to /.test(s)).length;
  out.drawn = Array.from(document.querySelectorAll(".drawing svg")).filter(s => s.getBoundingClientRect().height > 50).length;
  out.loaded = performance.getEntriesByType("resource").length;
  out.wider = document.documentElement.scrollWidth > innerWidth;
};
addEventListener("load", visit);
</script>`

// TestGroupsPageInABrowser opens the page of several runs at the width of a
// phone.
func TestGroupsPageInABrowser(t *testing.T) {
	t.Parallel()
	root, dirs := copies(t, nil)
	path := filepath.Join(root, "report.html")
	if err := os.WriteFile(path, []byte(pageOf(t, groupsOf(t, root, dirs))+visitor), 0o644); err != nil {
		t.Fatal(err)
	}
	dom := opened(t, path)
	data := func(name string) string {
		m := regexp.MustCompile(`<body[^>]* data-` + name + `="([^"]*)"`).FindStringSubmatch(dom)
		if m == nil {
			t.Fatalf("the visit left no %s", name)
		}
		return m[1]
	}
	down, up := numbers(t, data("down")), numbers(t, data("up"))
	if len(down) < 10 || len(up) != len(down) {
		t.Fatalf("%d and %d rows", len(down), len(up))
	}
	for i := 1; i < len(down); i++ {
		if down[i] > down[i-1] || up[i] < up[i-1] {
			t.Fatalf("not in order at row %d: %v, %v", i, down, up)
		}
	}
	for name, want := range map[string]string{"focused": "true", "canvases": "7", "words": "7", "hidden": "7 false", "back": "6", "drawn": "1", "loaded": "0", "wider": "false"} {
		if got := data(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func numbers(t *testing.T, text string) (out []float64) {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}
