package report

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/look"
	"edgebench/analysis/rundir"
)

// fixtureCopy is a copy of the kept run that a test may change.
func fixtureCopy(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "20261130T054500Z-bursty-ramp-ewma-fixture")
	if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// writeReport writes report.html of dir and returns its text.
func writeReport(t *testing.T, dir string) string {
	t.Helper()
	if err := WriteHTML(dir, summary(t, dir)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, rundir.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// embedded is the JSON the script draws from.
func embedded(t *testing.T, page string) chartData {
	t.Helper()
	return embeddedSets(t, page)[0]
}

// chartData is a set of charts as it comes back from a page.
type chartData struct {
	Charts []struct {
		ID    string
		X     look.Series
		Y     []look.Series
		Marks look.Series
	}
	Bands  []look.Band
	Groups []toggle
}

func embeddedSets(t *testing.T, page string) (data []chartData) {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	text, _, ended := strings.Cut(rest, "</script>")
	if !ok || !ended {
		t.Fatal("no data in the page")
	}
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReportOfAFullRun(t *testing.T) {
	t.Parallel()
	page := writeReport(t, fixtureCopy(t))
	for _, want := range []string{
		`<strong>valid</strong>`, `<b>2,794</b> scheduled = <b>2,794</b> sent`, `lies inside a mode`,
		`Cold starts in “spike”, by cycle`, `cycle 3: 37 of 150 cold by the threshold`, `loadgen run bursty-ramp.yaml --policy ewma`,
		`<a href="samples.csv.zst">`, `<dt>kernel</dt><dd>6.1.0</dd>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %q", want)
		}
	}
	data := embedded(t, page)
	var ids []string
	for _, c := range data.Charts {
		ids = append(ids, c.ID)
		for i, y := range c.Y {
			if len(y) != len(c.X) {
				t.Errorf("chart %s: curve %d has %d points of %d", c.ID, i, len(y), len(c.X))
			}
		}
	}
	if got := strings.Join(ids, " "); got != "rate response workers memory cpu lag" {
		t.Errorf("charts %s", got)
	}
	if len(data.Bands) != 20 || len(data.Charts[2].Marks) == 0 {
		t.Errorf("%d bands, %d marks on the workers", len(data.Bands), len(data.Charts[2].Marks))
	}
}

// The page must load nothing: no address in a place a browser fetches from.
func TestReportLoadsNothing(t *testing.T) {
	t.Parallel()
	page := writeReport(t, fixtureCopy(t))
	if !strings.Contains(page, `content="default-src 'none';`) {
		t.Error("no content security policy")
	}
	fetched := regexp.MustCompile(`(?i)<(?:script|img|iframe|source|object|embed)[^>]*\s(?:src|data)=|<link[^>]*rel="?stylesheet|@import|url\(\s*["']?http`)
	if found := fetched.FindString(page); found != "" {
		t.Errorf("the page fetches: %q", found)
	}
}

func TestReportEscapesWhatOthersWrote(t *testing.T) {
	t.Parallel()
	const evil = `</script><script>alert(1)</script>"'<img src=x onerror=alert(2)>`
	dir := fixtureCopy(t)
	m, err := rundir.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Profile, m.Mode, m.Target, m.Argv = evil, evil, "http://x/"+evil, []string{"loadgen", evil}
	m.Host, m.Limits = map[string]any{evil: evil}, map[string]any{"a": map[string]any{"b": []any{evil}}}
	m.Warnings, m.Interruption, m.Versions = []string{evil}, evil, map[string]string{evil: evil}
	m.Node = nil
	m.Phases[1].Kind = evil
	data, err := rundir.EncodeJSON(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := rundir.Replace(dir, rundir.ManifestFile, data); err != nil {
		t.Fatal(err)
	}
	page := writeReport(t, dir)
	for _, bad := range []string{"<script>alert", "<img src=x"} {
		if strings.Contains(page, bad) {
			t.Errorf("page contains %q as it is", bad)
		}
	}
	if got := embedded(t, page).Bands[1].Kind; got != evil {
		t.Errorf("the data came through as %q", got)
	}
}

func TestReportOfABareRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := rundir.Create(dir, "bare")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteManifest(rundir.NewManifest(rundir.ProducerTwin, time.Unix(0, 0))); err != nil {
		t.Fatal(err)
	}
	if page := writeReport(t, d.Path()); !strings.Contains(page, "<strong>partial</strong>") || !strings.Contains(page, "No time series") {
		t.Error("a partial run without files is not shown as such")
	}
}

func TestThinKeepsExtremes(t *testing.T) {
	t.Parallel()
	c := &chart{Labels: []curve{{Label: "a"}, {Label: "gap"}}}
	for i := range 100_000 {
		v := math.Sin(float64(i) / 1000)
		switch i {
		case 12_345:
			v = 99
		case 77_777:
			v = -99
		}
		c.row(float64(i), v, math.NaN())
	}
	c.thin()
	if len(c.X) > maxPoints || len(c.Y[0]) != len(c.X) || c.Note == "" {
		t.Fatalf("%d points, note %q", len(c.X), c.Note)
	}
	top, bottom := 0, 0
	for i, v := range c.Y[0] {
		switch v {
		case 99:
			top = int(c.X[i])
		case -99:
			bottom = int(c.X[i])
		}
		if i > 0 && c.X[i] <= c.X[i-1] {
			t.Fatalf("time goes back at point %d", i)
		}
		if !math.IsNaN(c.Y[1][i]) {
			t.Fatalf("a gap became %v", c.Y[1][i])
		}
	}
	if d := math.Abs(float64(top - 12_345)); top == 0 || d > 200 {
		t.Errorf("the maximum stands at %d", top)
	}
	if d := math.Abs(float64(bottom - 77_777)); bottom == 0 || d > 200 {
		t.Errorf("the minimum stands at %d", bottom)
	}
}

func TestShellLine(t *testing.T) {
	t.Parallel()
	argv := []string{"loadgen", "run", "a b.yaml", "--set", "seed=7", "it's", "", "$HOME", "ü"}
	out, err := exec.Command("sh", "-c", "printf '%s\\n' "+shellLine(argv)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(out), strings.Join(argv, "\n")+"\n"; got != want {
		t.Errorf("a shell reads %q as %q", shellLine(argv), got)
	}
}

func TestBarsOfManyCycles(t *testing.T) {
	t.Parallel()
	m := analysis.Measured{Cycles: make([]analysis.CycleCold, 100)}
	m.All.Cold.ByThreshold = new(uint64(1))
	for i := range m.Cycles {
		m.Cycles[i].Cold.ByThreshold = new(uint64(i * 17))
	}
	c := newBarChart(m)
	if len(c.Groups) != maxGroups || c.Left != 60 || len(c.Ticks) > 7 || c.Fit {
		t.Errorf("%d groups, %d left, %d ticks", len(c.Groups), c.Left, len(c.Ticks))
	}
	for _, g := range c.Groups {
		for _, b := range g.Bars {
			if b.Y < plotTop || b.Y+b.H != c.Base || b.X+b.W > c.Width {
				t.Errorf("bar %+v leaves the drawing", b)
			}
		}
	}
}

// The table of functions sorts by numbers, which stand beside what people read.
func TestReportOfFunctions(t *testing.T) {
	t.Parallel()
	dir := fixtureCopy(t)
	s := summary(t, dir)
	s.Functions = someFunctions(maxHTMLFunctions + 3)
	s.Generator = troubled().Generator
	s.Warnings = []string{"57 % of the requests were sent late, of only 21"}
	var page strings.Builder
	if err := HTML(&page, dir, s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<table class="sortable phases">`, `<td data-v="100300">100,300</td>`, `<td data-v="2000000">2 ms</td>`,
		"3 functions with fewer requests are in summary.json", "The generator itself", " · throttled in 3 periods",
		"nothing was interrupted; what to doubt is below",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if strings.Contains(page.String(), "the generator kept up") {
		t.Error("the page says that the generator kept up, above a warning that it did not")
	}
	if strings.Contains(page.String(), "fn-03<") {
		t.Error("the function with the third fewest requests is in the table")
	}
}

// TestReportInABrowser opens the page: every chart is drawn.
func TestReportInABrowser(t *testing.T) {
	t.Parallel()
	dir := fixtureCopy(t)
	writeReport(t, dir)
	expect(t, opened(t, filepath.Join(dir, rundir.ReportFile)), map[string]string{
		`document.querySelectorAll(".uplot").length`: "6",
		// The curves tell their maximum before there is a cursor.
		`[...document.querySelectorAll("td.u-value")].filter(v => v.textContent.startsWith("max ")).length >= 6`: "true",
		wider: "false",
	})
}
