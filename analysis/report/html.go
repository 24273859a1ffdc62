package report

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"edgebench/analysis"
	"edgebench/analysis/look"
	"edgebench/analysis/rundir"
)

//go:embed assets
var assets embed.FS

// maxHTMLPhases bounds the rows of the phase table; summary.json has them all.
const maxHTMLPhases = 1000

// WriteHTML writes report.html into the run directory it is about.
func WriteHTML(dir string, s *analysis.Summary) error {
	return rundir.ReplaceWith(dir, rundir.ReportFile, func(w io.Writer) error { return HTML(w, dir, s) })
}

// HTML writes one self-contained page: it loads nothing, from no network and no
// file, and a content security policy holds it to that. Whatever came from a
// target or a profile is escaped.
func HTML(w io.Writer, dir string, s *analysis.Summary) error {
	run, err := rundir.Open(dir)
	if err != nil {
		return err
	}
	page, err := newPage(run, s)
	if err != nil {
		return err
	}
	return execute(w, "report.tmpl", page)
}

// execute writes a page by the template of that name and the parts all share.
func execute(w io.Writer, name string, page any) error {
	t, err := template.New(name).Funcs(functions).ParseFS(assets, "assets/"+name, "assets/parts.tmpl")
	if err != nil {
		return err
	}
	return t.Execute(w, page)
}

// A looks is what makes a page one file: styles and scripts. None is input: they
// may stand as they are.
type looks struct {
	CSS                    template.CSS
	JS, ChartsJS, TablesJS template.JS
}

func newLooks() (l looks, err error) {
	text := func(name string) string {
		data, readErr := assets.ReadFile("assets/" + name)
		err = errors.Join(err, readErr)
		return string(data)
	}
	l = looks{
		CSS: template.CSS(look.CSS() + text("report.css")),
		JS:  template.JS(text("report.js")), ChartsJS: template.JS(look.Charts()), TablesJS: template.JS(text("tables.js")),
	}
	return l, err
}

// functions are the formats that text and page share.
var functions = template.FuncMap{
	"duration": duration, "count": count, "counted": counted, "size": size, "byteSeconds": byteSeconds, "seconds": seconds,
	"number": number, "rate": rate, "ratio": ratio, "percent": percent, "whole": whole, "integer": integer, "clock": clock, "share": shareOf,
	"tallied": tallied, "times": times, "generator": pageGenerator, "nanoseconds": nanoseconds, "cycles": func(n int) uint64 { return uint64(max(n, 0)) },
}

// A namedTimes is a row of the table of times, with what it means.
type namedTimes struct {
	Name, Meaning string
	D             analysis.Distribution
}

func times(a analysis.Account) []namedTimes {
	rows := []namedTimes{
		{"response", "done − scheduled, of ok: what a user waits, lag included", a.Response},
		{"service", "done − sent, of ok: the round trip as a client sees it", a.Service},
		{"lag", "sent − scheduled − wait for a connection, of everything sent: the generator's own delay", a.Lag},
	}
	if a.ConnectWait.N > 0 {
		rows = append(rows, namedTimes{"connect wait", "until a connection was open, of what waited for one: the target's and the network's", a.ConnectWait})
	}
	if a.Failed.N > 0 {
		rows = append(rows, namedTimes{"failed", "instant of the error − scheduled, of errors", a.Failed})
	}
	return rows
}

// A page is what the template shows.
type page struct {
	*analysis.Summary
	Manifest      *rundir.Manifest
	Title         string
	Name          string // of the run directory
	Simulated     bool
	Marked        bool
	PhaseTable    table
	RowsLeft      uint64 // phases that did not fit
	FunctionTable table  // the busiest first
	Others        int    // functions that did not fit
	PathTable     table
	PathsSampled  string // that rows, and so times by path, are missing
	Bars          []*barChart
	Charts        []*chart
	Sets          []chartSet
	Host          []fact
	Limits        []fact
	Versions      []fact
	Command       string
	Again         string // the same profile, played again
	Remake        string // makes the page again
	Files         []rawFile
	looks
}

// A chartSet is what the script draws: charts that share time axis and cursor.
type chartSet struct {
	Key    string      `json:"key"`
	Charts []chartJSON `json:"charts"`
	Bands  []look.Band `json:"bands"`
	Groups []toggle    `json:"groups"` // those that the curves are of, on pages of several runs
}

type chartJSON struct {
	*chart
	Y     []look.Series `json:"y"`
	Marks look.Series   `json:"marks"`
}

type fact struct{ Name, Value string }

type rawFile struct {
	Name, What string
	Size       string
}

func newPage(run *rundir.Run, s *analysis.Summary) (_ *page, err error) {
	m := run.Manifest
	p := &page{
		Summary: s, Manifest: m, Name: filepath.Base(run.Dir), Simulated: m.Producer == rundir.ProducerTwin,
		Marked: s.Paths.Marked() > 0, Host: facts(m.Host), Limits: facts(m.Limits), Command: shellLine(m.Argv), Files: rawFiles(run.Dir),
	}
	p.Title = m.Profile
	if s.Policy.Name != "" {
		p.Title += " · " + s.Policy.Name
	}
	for _, name := range slices.Sorted(maps.Keys(m.Versions)) {
		p.Versions = append(p.Versions, fact{name, m.Versions[name]})
	}
	p.PhaseTable, p.RowsLeft = phaseTable(s, p.Marked)
	top, others := busiest(s, maxHTMLFunctions)
	p.FunctionTable, p.Others = functionTable(top), len(others)
	p.PathTable, p.PathsSampled = pathTable(s), sampledPaths(s.PathTimes)
	play := "run"
	if p.Simulated {
		play = "sim"
	}
	p.Again = shellLine([]string{"loadgen", play, filepath.Join(p.Name, rundir.ProfileFile)})
	p.Remake = shellLine([]string{"loadgen", "report", p.Name})
	for _, measured := range s.Measured {
		if measured.All.Cold.Truth != nil || measured.All.Cold.ByThreshold != nil {
			p.Bars = append(p.Bars, newBarChart(measured))
		}
	}
	if err := p.loadSeries(run); err != nil {
		return nil, err
	}
	p.looks, err = newLooks()
	return p, err
}

func (p *page) loadSeries(run *rundir.Run) (err error) {
	if p.Charts, err = loadCharts(run); err != nil {
		return err
	}
	alarms, err := loadAlarms(run)
	if err != nil {
		return err
	}
	set := chartSet{Key: "run", Charts: []chartJSON{}, Bands: look.Bands(run.Manifest.Phases), Groups: []toggle{}} // null has no forEach
	for _, c := range p.Charts {
		j := chartJSON{chart: c, Y: c.Y}
		if c.marks {
			j.Marks = alarms
		}
		set.Charts = append(set.Charts, j)
	}
	p.Sets = []chartSet{set}
	return nil
}

// facts flattens a map of a manifest, nested names joined by dots.
func facts(in map[string]any) []fact {
	var out []fact
	for _, name := range slices.Sorted(maps.Keys(in)) {
		switch v := in[name].(type) {
		case map[string]any:
			for _, f := range facts(v) {
				out = append(out, fact{name + "." + f.Name, f.Value})
			}
		case string:
			out = append(out, fact{name, v})
		case nil:
		default:
			text, err := json.Marshal(v)
			if err != nil {
				text = fmt.Append(nil, v)
			}
			out = append(out, fact{name, string(text)})
		}
	}
	return out
}

// shellLine quotes arguments so that a POSIX shell reads them back as they were.
func shellLine(argv []string) string {
	quoted := make([]string, len(argv))
	for i, arg := range argv {
		quoted[i] = arg
		plain := func(r rune) bool {
			return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+=:,./@%", r)
		}
		if arg == "" || strings.ContainsFunc(arg, func(r rune) bool { return !plain(r) }) {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// raw are the files of a run directory, with what they hold.
var raw = []rawFile{
	{Name: rundir.ManifestFile, What: "what was run, by what and where"},
	{Name: rundir.ProfileFile, What: "the profile as resolved"},
	{Name: rundir.SummaryFile, What: "the numbers of this page"},
	{Name: rundir.SamplesFile, What: "one row a request"},
	{Name: rundir.TotalsFile, What: "exact counters a phase"},
	{Name: rundir.HistogramsFile, What: "histograms, tag = metric.cycle.phase"},
	{Name: rundir.PercentileFile, What: "response times as a percentile table, ms"},
	{Name: rundir.TimeseriesFile, What: "one row a second"},
	{Name: rundir.MonitorFile, What: "memory, CPU, workers"},
	{Name: rundir.EventsFile, What: "phase edges, decisions, workers, alarms"},
}

func rawNames() []string {
	names := make([]string, len(raw))
	for i, f := range raw {
		names[i] = f.Name
	}
	return names
}

// rawFiles lists what is in the run directory.
func rawFiles(dir string) []rawFile {
	var out []rawFile
	for _, f := range raw {
		if info, err := os.Stat(filepath.Join(dir, f.Name)); err == nil {
			f.Size = size(new(info.Size()))
			out = append(out, f)
		}
	}
	return out
}
