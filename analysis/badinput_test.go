package analysis

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"edgebench/analysis/rundir"
)

// A damage is done to one file of a run directory.
type damage struct {
	file string
	do   func(text string) string
}

// to does the damage; rows are compressed, and damaged inside.
func (d damage) to(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, d.file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d.file == rundir.SamplesFile {
		decoder, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer decoder.Close()
		if data, err = decoder.DecodeAll(data, nil); err != nil {
			t.Fatal(err)
		}
	}
	changed := d.do(string(data))
	if changed == string(data) {
		t.Fatalf("%s is as it was", d.file)
	}
	data = []byte(changed)
	if d.file == rundir.SamplesFile {
		encoder, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		data = encoder.EncodeAll(data, nil)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// half is a text that was cut off in the middle of a line.
func half(text string) string { return strings.TrimSuffix(text[:len(text)/2], "\n") }

// replacing changes the first of a line's texts.
func replacing(old, text string) func(string) string {
	return func(all string) string { return strings.Replace(all, old, text, 1) }
}

// line changes one line of a text, counted from 1.
func line(n int, change func(string) string) func(string) string {
	return func(text string) string {
		lines := strings.Split(text, "\n")
		lines[n-1] = change(lines[n-1])
		return strings.Join(lines, "\n")
	}
}

func field(n int, value string) func(string) string {
	return func(row string) string {
		fields := strings.Split(row, ",")
		fields[n] = value
		return strings.Join(fields, ",")
	}
}

// C45, for every file: what is torn at its end costs a note, what is damaged
// inside is an error that names file and line, and all errors are told at once.
func TestBadInput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		damages []damage
		errors  []string // of which each is told
		warning string
	}{
		{"manifest cut off", []damage{{rundir.ManifestFile, half}}, []string{"manifest.json:", "unexpected end of JSON"}, ""},
		{"manifest of a later schema", []damage{{rundir.ManifestFile, replacing(`"schema_version": 1`, `"schema_version": 99`)}}, []string{"manifest.json: schema_version 99 is not known"}, ""},
		{"manifest with a word for a number", []damage{{rundir.ManifestFile, replacing(`"seed": 1`, `"seed": "one"`)}}, []string{"manifest.json:", "Manifest.seed of type uint64"}, ""},
		{"totals cut off", []damage{{rundir.TotalsFile, half}}, []string{"totals.json:", "unexpected end of JSON"}, ""},
		{"totals of a later schema", []damage{{rundir.TotalsFile, replacing(`"schema_version": 1`, `"schema_version": 2`)}}, []string{"totals.json: schema_version 2 is not known"}, ""},
		{"row cut off", []damage{{rundir.SamplesFile, line(6, half)}}, []string{"samples.csv.zst:6: "}, ""},
		{"row of another phase", []damage{{rundir.SamplesFile, line(6, field(1, "99"))}}, []string{"samples.csv.zst: request 4 is of phase 99"}, ""},
		{"row with NaN", []damage{{rundir.SamplesFile, line(6, field(8, "NaN"))}}, nil, "samples.csv.zst: rows skipped, because they held NaN: 1"},
		{"last row torn", []damage{{rundir.SamplesFile, half}}, nil, " is torn"},
		{"second missing", []damage{{rundir.TimeseriesFile, line(4, func(string) string { return "9,1,1,1,0,0,0,0,,,,,," })}}, []string{`timeseries.csv:4: second: "9": expected 2`}, ""},
		{"second with NaN", []damage{{rundir.TimeseriesFile, line(4, field(3, "nan"))}}, nil, "timeseries.csv: rows skipped, because they held NaN: 1"},
		{"last second torn", []damage{{rundir.TimeseriesFile, half}}, nil, "timeseries.csv: line"},
		{"sampling goes back", []damage{{rundir.MonitorFile, line(4, field(0, "500"))}}, []string{`monitor.csv:4: t_ns: "500": goes back from 1000000000`}, ""},
		{"sample cut off", []damage{{rundir.MonitorFile, line(4, half)}}, []string{"monitor.csv:4: "}, ""},
		{"event cut off", []damage{{rundir.EventsFile, line(2, half)}}, []string{"events.jsonl:2: "}, ""},
		{"last event torn", []damage{{rundir.EventsFile, half}}, nil, "events.jsonl: line"},
		{"profile torn", []damage{{rundir.ProfileFile, half}}, nil, "profile.yaml: line 1 is torn"},
		{"percentiles empty", []damage{{rundir.PercentileFile, func(string) string { return "" }}}, nil, "latency.hgrm: empty file"},
		{"histograms torn", []damage{{rundir.HistogramsFile, half}}, nil, "latency.hlog: no histogram"},
		{"histograms alone, torn", []damage{{rundir.SamplesFile, half}, {rundir.HistogramsFile, half}}, []string{"latency.hlog: no histogram", "is torn"}, ""},
		{"histogram of another run", []damage{{rundir.SamplesFile, half}, {rundir.HistogramsFile, line(6, func(l string) string { return l[:strings.LastIndexByte(l, ',')+1] + "SElTVEZBSVM=" })}},
			[]string{"latency.hlog:6: histogram "}, ""},
		{"four files", []damage{{rundir.TotalsFile, half}, {rundir.SamplesFile, line(6, half)}, {rundir.MonitorFile, line(4, half)}, {rundir.TimeseriesFile, line(4, half)}, {rundir.EventsFile, line(2, half)}},
			[]string{"totals.json:", "samples.csv.zst:6: ", "monitor.csv:4: ", "timeseries.csv:4: ", "events.jsonl:2: "}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := newFixture(1).write(t, t.TempDir())
			for _, d := range tt.damages {
				d.to(t, dir)
			}
			s, err := Summarize(dir)
			if len(tt.errors) == 0 {
				if err != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), tt.warning) {
					t.Fatalf("%v, want a warning %q", err, tt.warning)
				}
				return
			}
			if !errors.Is(err, rundir.ErrUnreadable) {
				t.Fatalf("%v, want an unreadable run", err)
			}
			for _, want := range tt.errors {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant %q", err, want)
				}
			}
		})
	}
}

// A second that could not be read is no second without requests.
func TestUnknownSecondIsNoDeath(t *testing.T) {
	t.Parallel()
	s := &seconds{sent: []int64{9, 9, unknown, 9}, ok: []int64{9, 9, unknown, 0}, errors: []int64{0, 0, unknown, 9}}
	m := &rundir.Manifest{Phases: []rundir.PhaseFact{{Name: "a", Kind: "constant", LengthNS: 4e9, Planned: 400, FromRPS: 100, ToRPS: 100}}}
	if worst := s.worst(m); worst != nil {
		t.Errorf("%v, though a second of it is unknown", worst)
	}
}

// The real-time clock is set during a run: requests keep their times, and events
// keep their places on the run's clock.
func TestClockStep(t *testing.T) {
	t.Parallel()
	for _, step := range []int64{3600e9, -3600e9} {
		f := newFixture(1)
		f.stepped = [2]int64{20e9, step}
		dir := f.write(t, t.TempDir())
		s, err := Summarize(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(s.Warnings, func(w string) bool {
			return strings.Contains(w, "the real-time clock was set by") && strings.Contains(w, "at 20s")
		}) {
			t.Errorf("warnings %q", s.Warnings)
		}
		_, plain := summaryJSON(t, newFixture(1).write(t, t.TempDir()))
		s.Warnings = []string{}
		data, err := rundir.EncodeJSON(s)
		if err != nil || string(data) != string(plain) {
			t.Errorf("step %d: numbers differ, %v", step, err)
		}
		var starts []int64
		if _, err := rundir.ReadEvents(dir, func(e *rundir.Event) error {
			if e.Event == "phase_start" {
				starts = append(starts, e.UnixNS-f.manifest.StartedUnixNS)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for i, p := range f.manifest.Phases {
			if starts[i] != p.StartNS {
				t.Errorf("step %d: phase %s starts at %d, want %d", step, p.Name, starts[i], p.StartNS)
			}
		}
	}
}
