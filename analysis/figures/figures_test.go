package figures

import (
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"edgebench/analysis/compare"
	"edgebench/analysis/nodecost"
	"edgebench/analysis/predict"
	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/twin"
	"edgebench/profiles"
)

// fixture is a run of the generator, kept with its files.
const fixture = "../testdata/bursty-ramp"

// simulated makes run directories of two policies, two trials each.
func simulated(t *testing.T) []string {
	t.Helper()
	var points [][]profiles.Set
	for _, policy := range []string{"ewma", "reactive"} {
		points = append(points, []profiles.Set{{Key: "target.bundled.policy", Value: policy}, {Key: "arrivals", Value: "poisson"}})
	}
	return trialsOf(t, "bursty-ramp-quick", points...)
}

// swept makes those of two lengths of the warm-up.
func swept(t *testing.T) []string {
	t.Helper()
	return trialsOf(t, "warmup-sweep", []profiles.Set{{Key: "phases.warmup.for", Value: "5s"}}, []profiles.Set{{Key: "phases.warmup.for", Value: "20s"}})
}

func trialsOf(t *testing.T, profile string, points ...[]profiles.Set) (dirs []string) {
	t.Helper()
	out := t.TempDir()
	for _, sets := range points {
		for seed := range 2 {
			p, err := profiles.LoadWith(profile, append(sets, profiles.Set{Key: "seed", Value: string(rune('1' + seed))}))
			if err != nil {
				t.Fatal(err)
			}
			dir, err := twin.Trial{Profile: p, Phase: -1}.Record(t.Context(), out, "test", nil)
			if err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func sources(dirs []string) (out []Source) {
	for _, dir := range dirs {
		out = append(out, Source{Dir: dir})
	}
	return out
}

// Every entry of the registry draws something of a live run or of simulated
// ones, and what it writes is what it says it is.
func TestEveryFigureDraws(t *testing.T) {
	t.Parallel()
	drawn := map[string]bool{}
	for _, dirs := range [][]string{{fixture}, simulated(t), swept(t)} {
		runs, err := LoadAll(sources(dirs))
		if err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		all, err := DrawAll(runs)
		if err != nil {
			t.Fatal(err)
		}
		names, err := WriteAll(out, all)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			drawn[name] = true
			checkFiles(t, out, name)
		}
	}
	for _, f := range Figures() {
		if !drawn[f.Name] {
			t.Errorf("%s: drawn of none of the runs", f.Name)
		}
	}
}

func checkFiles(t *testing.T, dir, name string) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name+".svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	paths := 0
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s.svg: %v", name, err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" {
			paths++
		}
	}
	if paths < 5 {
		t.Errorf("%s.svg: %d paths", name, paths)
	}
	p, err := os.Open(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if c, err := png.DecodeConfig(p); err != nil || c.Width < 400 {
		t.Errorf("%s.png: %v, %d pixels wide", name, err, c.Width)
	}
}

func TestTrialsShareStyleAndLabel(t *testing.T) {
	t.Parallel()
	runs, err := LoadAll(sources(simulated(t)))
	if err != nil {
		t.Fatal(err)
	}
	names := legendOf(runs)
	var labels []string
	for _, r := range runs {
		labels = append(labels, names.label(r))
	}
	if want := []string{"ewma (twin) (2 trials)", "", "reactive (twin) (2 trials)", ""}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
	if runs[0].style != runs[1].style || runs[0].style == runs[2].style {
		t.Errorf("styles %d %d %d", runs[0].style, runs[1].style, runs[2].style)
	}
	if n := len(firsts(runs)); n != 2 {
		t.Errorf("%d groups", n)
	}
}

func TestNoRunsNothingToDraw(t *testing.T) {
	t.Parallel()
	for _, f := range Figures() {
		if _, err := f.Draw(nil); !errors.Is(err, ErrNoData) {
			t.Errorf("%s: %v, want %v", f.Name, err, ErrNoData)
		}
	}
}

func TestThinningKeepsExtremes(t *testing.T) {
	t.Parallel()
	c := curve{x: make([]float64, 100_000), y: make([]float64, 100_000)}
	for i := range c.x {
		c.x[i], c.y[i] = float64(i), math.Sin(float64(i)/1000)
	}
	c.y[54_321], c.y[77_777] = 9, -9
	thinned := c.thin(500)
	if len(thinned.x) != 1000 || slices.Max(thinned.y) != 9 || slices.Min(thinned.y) != -9 {
		t.Errorf("%d points from %v to %v, want 1000 from -9 to 9", len(thinned.x), slices.Min(thinned.y), slices.Max(thinned.y))
	}
	if !slices.IsSorted(thinned.x) {
		t.Error("out of order")
	}
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ticker    plot.Ticker
		low, high float64
		want      string
	}{
		{roundTicks{8}, 0, 309, "0 50 100 150 200 250 300"},
		{roundTicks{8}, -0.2, 0.35, "-0.2 -0.1 0 0.1 0.2 0.3"},
		{roundTicks{8}, 5, 5, "5"},
		{logTicks{}, 0.5, 200, "0.5 1 2 5 10 20 50 100 200"},
		{logTicks{}, 480, 810, "500 600 700 800"},
		{logTicks{}, 0.001, 10, "0.001 0.01 0.1 1 10"},
	} {
		var labels []string
		for _, tick := range c.ticker.Ticks(c.low, c.high) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%T of %v to %v: %s, want %s", c.ticker, c.low, c.high, got, c.want)
		}
	}
}

func TestPredictionAndModels(t *testing.T) {
	t.Parallel()
	p, err := profiles.Load("h2")
	if err != nil {
		t.Fatal(err)
	}
	steady, _, err := predict.SteadyStates(t.Context(), p, qpn.Options{Departures: 5000, Replications: 2})
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	picture, err := Prediction(predict.Compare(p, nil, nil, steady))
	if err == nil {
		err = picture.Write(out, "prediction")
	}
	if err != nil {
		t.Fatal(err)
	}
	checkFiles(t, out, "prediction")
	if _, err := Prediction(predict.Compare(p, nil, nil, nil)); !errors.Is(err, ErrNoData) {
		t.Errorf("a prediction of nothing: %v", err)
	}
}

func TestColdStarts(t *testing.T) {
	t.Parallel()
	ms := func(n time.Duration) *time.Duration { n *= time.Millisecond; return &n }
	c := &nodecost.ColdStart{Runtimes: []nodecost.Runtime{
		{Name: "exec", Ready: nodecost.Latency{P50: ms(360), P50Low: ms(350), P50High: ms(380), P99: ms(500)}, Answered: nodecost.Latency{P50: ms(361)}},
		{Name: "fork", Ready: nodecost.Latency{P50: ms(3)}, Answered: nodecost.Latency{P50: ms(4)}, Memory: []nodecost.State{{Name: "fresh", AllPSS: 1e8}, {Name: "dirty_100", AllPSS: 2e9}}},
	}}
	p, err := ColdStarts(c)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := p.Write(out, "cold-start"); err != nil {
		t.Fatal(err)
	}
	checkFiles(t, out, "cold-start")
}

// What compare and pareto draw is of the numbers they print.
func TestComparisonAndPareto(t *testing.T) {
	t.Parallel()
	set, err := compare.Read(simulated(t), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := compare.Compare(set, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := compare.Pareto(set, "", "", compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	for name, draw := range map[string]func() (*Picture, error){
		"comparison": func() (*Picture, error) { return Comparison(c) }, "pareto": func() (*Picture, error) { return Pareto(f) },
	} {
		p, err := draw()
		if err == nil {
			err = p.Write(out, name)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkFiles(t, out, name)
	}
	if _, err := Comparison(&compare.Comparison{Set: *set}); !errors.Is(err, ErrNoData) {
		t.Errorf("a comparison of nothing: %v", err)
	}
}

// The threshold of a CUSUM is that of the run's own profile; a policy without
// one has none.
func TestLimitsOfTheRun(t *testing.T) {
	t.Parallel()
	dirs := trialsOf(t, "bursty-ramp-quick", []profiles.Set{{Key: "target.bundled.policy", Value: "{ewma: {h: 70}}"}},
		[]profiles.Set{{Key: "target.bundled.policy", Value: "ensemble"}}, []profiles.Set{{Key: "target.bundled.policy", Value: "reactive"}})
	runs, err := LoadAll(sources(dirs))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]limit{{{70, "requests/s"}}, nil, {{8, "requests/s"}, {8, "sigma"}}, nil, nil} {
		if got := runs[i].limits(); i%2 == 0 && !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", runs[i].Label, got, want)
		}
	}
}

// Keys break into lines that are no wider than they may be, and none is lost.
func TestKeysBreakIntoLines(t *testing.T) {
	t.Parallel()
	p := newPanel("", "", "")
	for _, label := range []string{"a", "a longer label", "b", "another rather long label of a curve", "c"} {
		p.key(label)
	}
	const most = 5 * vg.Centimeter
	n := 0
	for _, line := range p.lines(most) {
		used := -keySpace
		for _, k := range line {
			used += keySpace + p.width(k)
			n++
		}
		if used > most && len(line) > 1 {
			t.Errorf("a line of %d keys is %v wide", len(line), used)
		}
	}
	if n != 5 {
		t.Errorf("%d keys of 5", n)
	}
}

// Rows that are a sample, or whose neighbours were dropped, are no gaps.
func TestGapsAreBetweenNeighbours(t *testing.T) {
	t.Parallel()
	p, err := profiles.Load("h2")
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	if got := gaps(s, []instant{{0, 1}, {1, 1.5}, {3, 2.5}, {4, 3}}); len(got) != 2 {
		t.Errorf("%d gaps, want 2: between 0 and 1, 3 and 4", len(got))
	}
}
