package report

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edgebench/analysis/compare"
	"edgebench/analysis/rundir"
)

// copies are the kept run as several trials: of two policies, by seed. edit may
// change a manifest further.
func copies(t *testing.T, edit func(*rundir.Manifest)) (root string, dirs []string) {
	t.Helper()
	root = t.TempDir()
	for _, policy := range []string{"ewma", "static"} {
		for seed := uint64(1); seed <= 2; seed++ {
			dir := filepath.Join(root, policy+string(rune('0'+seed)))
			if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
				t.Fatal(err)
			}
			m, err := rundir.ReadManifest(dir)
			if err != nil {
				t.Fatal(err)
			}
			m.Mode, m.Seed = policy, seed
			if edit != nil {
				edit(m)
			}
			data, err := rundir.EncodeJSON(m)
			if err == nil {
				err = rundir.Replace(dir, rundir.ManifestFile, data)
			}
			if err != nil {
				t.Fatal(err)
			}
			profile := "name: bursty-ramp\ntarget: {bundled: {policy: " + policy + "}}\n"
			if err := os.WriteFile(filepath.Join(dir, rundir.ProfileFile), []byte(profile), 0o644); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
	}
	return root, dirs
}

func groupsOf(t *testing.T, root string, dirs []string) Groups {
	t.Helper()
	set, err := compare.Read(dirs, compare.Options{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	svg := []byte(`<?xml version="1.0"?><svg viewBox="0 0 10 10"><path d="M0 0L9 9"/></svg>`)
	return Groups{Set: set, Drawings: []Drawing{{"latency", "how long", svg}}, Argv: []string{"loadgen", "report", "a b"}, Folder: root}
}

func pageOf(t *testing.T, g Groups) string {
	t.Helper()
	var b strings.Builder
	if err := GroupsHTML(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGroupsPage(t *testing.T) {
	t.Parallel()
	root, dirs := copies(t, nil)
	page := pageOf(t, groupsOf(t, root, dirs))
	for _, want := range []string{
		"4 trials, all valid", "Groups", "Cold starts in spike", "Cost against quality", "A ewma", "B static", "1–2", "Differences",
		`<a href="ewma1/samples.csv.zst">samples.csv.zst</a>`, `<svg viewBox`, "loadgen report &#39;a b&#39;", "<dt>kernel</dt><dd>6.1.0</dd>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if strings.Contains(page, "<?xml") {
		t.Error("an XML declaration in the page")
	}
}

func TestGroupsText(t *testing.T) {
	t.Parallel()
	root, dirs := copies(t, nil)
	text, err := GroupsText(groupsOf(t, root, dirs), TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 groups, 4 trials", "Cold starts in spike", "all  "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "<") {
		t.Errorf("markup in\n%s", text)
	}
}

// What a target or a profile says stands in headings, tables, links, commands
// and facts; none of it is markup.
func TestGroupsPageEscapesWhatOthersWrote(t *testing.T) {
	t.Parallel()
	const evil = `</script><script>alert(1)</script>"'<img src=x onerror=alert(2)>`
	root, dirs := copies(t, func(m *rundir.Manifest) {
		m.Profile, m.Mode, m.Target, m.Argv = evil, m.Mode+evil, evil, []string{"loadgen", evil}
		m.Host, m.Versions, m.Clock, m.Warnings, m.Node = map[string]any{evil: evil}, map[string]string{evil: evil}, evil, []string{evil}, json.RawMessage(nil)
	})
	strange := filepath.Join(root, `javascript:alert(1)"><script>alert(3)<`)
	if err := os.Rename(dirs[0], strange); err == nil {
		dirs[0] = strange
	}
	g := groupsOf(t, root, dirs)
	for _, group := range g.Set.Groups {
		for _, trial := range group.Trials {
			for i := range trial.Summary.Phases {
				trial.Summary.Phases[i].Name = evil
			}
			for i := range trial.Summary.Measured {
				trial.Summary.Measured[i].Name = evil
			}
		}
	}
	page := pageOf(t, g)
	for _, bad := range []string{"<script>alert", "<img src=x", `href="javascript:`} {
		if strings.Contains(page, bad) {
			t.Errorf("page contains %q as it is", bad)
		}
	}
}

// What counts is said above everything else, and what does not with its reason.
func TestGroupsPageNamesWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	root, dirs := copies(t, func(m *rundir.Manifest) {
		if m.Mode == "static" && m.Seed == 2 {
			m.Interruption = "signal interrupt"
		}
	})
	page := pageOf(t, groupsOf(t, root, dirs))
	for _, want := range []string{"<strong>3 of 4 trials count</strong>", "static2 is left out: partial: interrupted: signal interrupt", "Left out", "a trial counts when its verdict is valid"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
}

// Groups stand side by side over time: a curve a group, and the range of its
// trials where it has several.
func TestGroupsOverTime(t *testing.T) {
	t.Parallel()
	root, dirs := copies(t, nil)
	path := filepath.Join(dirs[0], rundir.TimeseriesFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The first trial lacks its last second.
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-1], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	set := embeddedSets(t, pageOf(t, groupsOf(t, root, dirs)))[0]
	if len(set.Groups) != 2 || set.Groups[0].Label != "A ewma" || len(set.Bands) != 20 {
		t.Fatalf("groups %v, %d bands", set.Groups, len(set.Bands))
	}
	for _, c := range set.Charts {
		if len(c.Y) != 6 {
			t.Errorf("%s: %d columns, want a mean and two ends for each of two groups", c.ID, len(c.Y))
			continue
		}
		for i, y := range c.Y {
			if len(y) != len(c.X) {
				t.Errorf("%s: column %d has %d points of %d", c.ID, i, len(y), len(c.X))
			}
		}
		for i := range c.X {
			if mean, low, high := c.Y[0][i], c.Y[1][i], c.Y[2][i]; mean < low*0.999 || mean > high*1.001 {
				t.Errorf("%s at %v: mean %v outside of %v to %v", c.ID, c.X[i], mean, low, high)
			}
		}
	}
}

func TestLaneKeepsTheRange(t *testing.T) {
	t.Parallel()
	l := &lane{}
	for _, v := range []float64{3, math.NaN(), 1, 5} {
		l.add(2, v)
	}
	l.add(-1, 9)
	c := &chart{}
	c.addGroup(toggle{Label: "A"}, l)
	if len(c.Y) != 3 || !c.Labels[0].Range || c.Y[0][2] != 3 || c.Y[1][2] != 1 || c.Y[2][2] != 5 || !math.IsNaN(c.Y[0][0]) {
		t.Errorf("%v of %v", c.Y, c.Labels)
	}
	c.addGroup(toggle{Label: "not measured"}, &lane{})
	if len(c.Labels) != 1 {
		t.Errorf("a group that measured nothing has a curve: %v", c.Labels)
	}
}
