package report

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"edgebench/analysis/look/browsertest"
)

// opened opens a page in a headless browser at the width of a phone and waits
// for its charts. The test fails at its end when the page wrote on the console
// or asked for anything but itself.
func opened(t *testing.T, path string) *browsertest.Page {
	t.Helper()
	address := "file://" + path
	page := browsertest.Start(t).Open(address, 390, "light")
	t.Cleanup(func() {
		if troubles := page.Troubles(); len(troubles) > 0 {
			t.Errorf("troubles %q", troubles)
		}
		if asked := page.Requests(); !slices.Equal(asked, []string{address}) {
			t.Errorf("asked for %q, want the page alone", asked)
		}
	})
	page.Await(`document.body.dataset.charts !== undefined`)
	return page
}

// expect evaluates expressions in a page.
func expect(t *testing.T, page *browsertest.Page, want map[string]string) {
	t.Helper()
	for expression, value := range want {
		if got := page.Evaluate(expression); got != value {
			t.Errorf("%s is %q, want %q", expression, got, value)
		}
	}
}

// wider tells whether a reader of the page has to scroll sideways.
const wider = `document.documentElement.scrollWidth > innerWidth`

// TestGroupsPageInABrowser does what a reader of several runs does: sorts the
// table of phases by its p99 twice, hides a group by its button and brings it
// back by its name in a legend, all of it from the keyboard.
func TestGroupsPageInABrowser(t *testing.T) {
	t.Parallel()
	root, dirs := copies(t, nil)
	path := filepath.Join(root, "report.html")
	if err := os.WriteFile(path, []byte(pageOf(t, groupsOf(t, root, dirs))), 0o644); err != nil {
		t.Fatal(err)
	}
	page := opened(t, path)
	expect(t, page, map[string]string{
		`document.querySelectorAll(".uplot canvas").length`:                                                             "7",
		`[...document.querySelectorAll(".plot")].filter(p => / from .* to /.test(p.getAttribute("aria-label"))).length`: "7",
		`[...document.querySelectorAll(".drawing svg")].filter(s => s.getBoundingClientRect().height > 50).length`:      "1",
		wider: "false",
	})

	const heading = `[...document.querySelectorAll("table.phases th button")].find(b => b.textContent === "p99")`
	column := func() (out []float64) {
		text := page.Evaluate(`[...` + heading + `.closest("table").tBodies[0].rows].map(r => r.cells[` + heading + `.closest("th").cellIndex].dataset.v).join(" ")`)
		for word := range strings.FieldsSeq(text) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, v)
		}
		return out
	}
	page.Evaluate(heading + `.focus()`)
	page.Press("Enter")
	down := column()
	page.Press("Enter")
	up := column()
	reversed := slices.Clone(down)
	slices.Reverse(reversed)
	if len(down) < 10 || len(up) != len(down) || !slices.IsSorted(up) || !slices.IsSorted(reversed) {
		t.Errorf("not in order: %v, then %v", down, up)
	}

	const off = `document.querySelectorAll(".u-series.u-off:not(.range)").length`
	page.Evaluate(`document.querySelector(".toggles button").focus()`)
	page.Press("Enter")
	expect(t, page, map[string]string{off: "7", `document.querySelector(".toggles button").getAttribute("aria-pressed")`: "false"})
	page.Evaluate(`document.querySelector(".u-series.u-off:not(.range) th").focus()`)
	page.Press("Enter")
	expect(t, page, map[string]string{off: "6"})
}
