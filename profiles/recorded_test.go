package profiles

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const noPhases = "target: {bundled: {}}\n"

// write makes files in a new folder and returns how a profile names it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// loaded writes a profile whose text may name DIR, and loads it.
func loaded(t *testing.T, text string, files map[string]string) (*Profile, error) {
	t.Helper()
	dir := write(t, files)
	name := filepath.Join(dir, "p.yaml")
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o644); err != nil {
		t.Fatal(err)
	}
	return Load(name)
}

func instants(t *testing.T, p *Profile) []time.Duration {
	t.Helper()
	s, err := p.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	var at []time.Duration
	st := s.Stream()
	for a, ok := st.Next(); ok; a, ok = st.Next() {
		at = append(at, a.At)
	}
	return at
}

func TestTimes(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	want := []time.Duration{0, 250 * ms, time.Second}
	for name, text := range map[string]string{
		"in the profile": "arrivals: {times: [1s, 0s, 250ms]}\n",
		"durations":      "arrivals: {times: {file: DIR/durations.txt}}\n",
		"timestamps":     "arrivals: {times: {file: DIR/stamps.txt, speed: 2}}\n",
	} {
		p, err := loaded(t, noPhases+text, map[string]string{
			"durations.txt": "# ours\n250ms\n\n1s\n0s\n",
			"stamps.txt":    "2026-01-31T10:00:00.5Z\r\n2026-01-31T11:00:00+01:00\r\n2026-01-31T10:00:02Z\r\n",
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		roundTrip(t, p)
		if got := instants(t, p); len(got) != 3 || [3]time.Duration(got) != [3]time.Duration(want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFaultsOfRecordedArrivals(t *testing.T) {
	t.Parallel()
	trace := "arrivals: {trace: {azure2019: {invocations: DIR/i.csv}"
	for text, want := range map[string]string{
		"arrivals: times":                                                  "arrivals: times needs what it plays",
		"arrivals: {times: []}":                                            "no instants",
		"arrivals: {times: [1]}":                                           "arrivals.times[0]: 1: missing unit",
		"arrivals: {times: {file: DIR/bad.txt}}":                           `bad.txt:2: "x" is not a duration`,
		"arrivals: {times: {file: DIR/mixed.txt}}":                         "mixed.txt:2: \"2026-01-31T10:00:00Z\": durations and timestamps are mixed",
		"arrivals: {times: {file: DIR/empty.txt}}":                         "empty.txt: no instants",
		"arrivals: {times: {file: DIR/none.txt}}":                          "arrivals.times: open ",
		"arrivals: {times: {file: x, speed: 0}}":                           "0 is not above 0",
		"arrivals: {times: [1s]}\nphases: [{name: a, rate: 1/s, for: 1s}]": "phases[0].rate: the arrivals are recorded",
		"arrivals: {times: [1s]}\nphases: [{name: a, count: 1}]":           "phases[0].count: recorded arrivals have their own number",
		"arrivals: {times: [1s]}\ncycles: {count: 2}":                      "there are no phases to repeat",
		"arrivals: even":                                                   "missing key phases",
		"arrivals: {replay: {speed: 2}}":                                   "missing key run",
		"arrivals: {replay: {run: x, scale: 2}}":                           "2 is not above 0 and at most 1",
		"arrivals: {trace: {azure2020: {}}}":                               "missing key: give one of azure2019, azure2021, invitro",
		"arrivals: {trace: {azure2019: {}, invitro: {folder: x}}}":         "a trace is of one format",
		"arrivals: {trace: {azure2019: {}}}":                               "missing key invocations",
		"arrivals: {trace: {azure2021: {file: x}, scale: 2}}":              "can be thinned",
		"arrivals: {trace: {azure2021: {file: x}, spacing: uniform}}":      `unknown key "spacing"`,
		trace + ", spacing: random}}":                                      "unknown value \"random\"",
		trace + ", select: {top: 1, sample: 2}}}":                          "give one of top, sample and ids",
		trace + ", select: {top: 1, seed: 2}}}":                            "goes with sample",
		trace + ", from: 5m}}":                                             "i.csv: from 5m0s is behind its end",
		trace + "}}\nfunctions: [{name: f, weight: 2}]":                    "functions[0].weight: the trace says how often",
		trace + "}}\nfunctions: [{name: f}, {name: g}]":                    `functions[1].name: "g" is none of the 1 functions`,
		trace + "}}\nstreams: own\nfunctions: [{name: f}]":                 "streams: recorded arrivals are one stream",
		"arrivals: {trace: {azure2019: {invocations: DIR/bad.csv}}}":       "bad.csv:2:9: \"x\" is not a number of calls",
		"streams: own\nphases: []":                                         "there are no functions to divide",
	} {
		_, err := loaded(t, noPhases+text+"\n", map[string]string{
			"bad.txt": "1s\nx\n", "mixed.txt": "1s\n2026-01-31T10:00:00Z\n", "empty.txt": "# nothing\n",
			"i.csv":   "HashOwner,HashApp,HashFunction,Trigger,1\no,a,f,t,3\n",
			"bad.csv": "HashOwner,HashApp,HashFunction,Trigger,1\no,a,f,t,x\n",
		})
		var faults Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v lacks %q", text, err, want)
		}
	}
}

// A trace's functions take their requests from functions of the profile, by name.
func TestFunctionsOfATraceHaveRequests(t *testing.T) {
	t.Parallel()
	p, err := loaded(t, noPhases+`request: {path: /all}
arrivals: {trace: {azure2019: {invocations: DIR/i.csv, durations: DIR/d.csv}, column: 1s, shift: false, spacing: equidistant}}
functions: [{name: f, request: {path: /f}}, {name: h, service: 1s}]
`, map[string]string{
		"i.csv": "HashOwner,HashApp,HashFunction,Trigger,1\no,a,f,t,3\no,a,g,t,2\no,a,h,t,1\n",
		"d.csv": "HashOwner,HashApp,HashFunction,Average,Count\no,a,f,10,3\no,a,h,10,3\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, p)
	s, err := p.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range p.Requests(s) {
		text := r.Path
		for _, h := range r.Headers {
			text += " " + h.Line
		}
		got = append(got, text)
	}
	if want := "/f X-Service: 10ms|/all|/all X-Service: 1s"; strings.Join(got, "|") != want {
		t.Errorf("requests %q, want %s", got, want)
	}
	if s.Duration() != time.Second || len(p.Recorded.Notes) != 2 {
		t.Errorf("%v, notes %q", s.Duration(), p.Recorded.Notes)
	}
}

func TestCountsOfPhases(t *testing.T) {
	t.Parallel()
	with := func(last, more string) string {
		return noPhases + "phases: [{name: a, rate: 5/s, for: 2s}, {name: b, " + last + "}]\n" + more
	}
	for _, law := range []string{"even", "poisson"} {
		p, err := Parse("p.yaml", []byte(with("rate: 10/s, count: 30", "arrivals: "+law+"\n")), nil)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, p)
		s, err := p.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Digest(t.Context())
		if err != nil || d.Counts[1] != 30 {
			t.Errorf("%s: %+v, %v", law, d, err)
		}
		if law == "even" && s.Duration() != 5*time.Second {
			t.Errorf("length %v", s.Duration())
		}
	}
	for last, want := range map[string]string{
		"rate: 10/s, count: 30, for: 1s":                     "phases[1].count: for (1s) is given too",
		"rate: 10/s":                                         "phases[1]: missing key for (or count)",
		"rate: 0, count: 3":                                  "constant rate above 0",
		"rate: {from: 0, to: 1/s}, count: 3":                 "constant rate above 0",
		"rate: 1/s, count: 0":                                "0 is below 1",
		"rate: 1/s, count: 1e3":                              `"1e3" is not a whole number`,
		"rate: 1/s, count: 3}, {name: c, rate: 1/s, for: 1s": "only the last phase",
	} {
		_, err := Parse("p.yaml", []byte(with(last, "")), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v lacks %q", last, err, want)
		}
	}
	_, err := Parse("p.yaml", []byte(with("rate: 1/s, count: 3", "cycles: {count: 2}\n")), nil)
	if err == nil || !strings.Contains(err.Error(), "only the last phase of a profile without cycles") {
		t.Error(err)
	}
}

func TestArrivalsThatWereNotReadAreNoSchedule(t *testing.T) {
	t.Parallel()
	p, err := Parse("p.yaml", []byte(noPhases+"arrivals: {replay: {run: x}}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Schedule(); err == nil || !strings.Contains(err.Error(), "was not read") {
		t.Error(err)
	}
	if !p.Arrivals.Recorded() || p.Arrivals.Replay.Scale != 1 {
		t.Errorf("%+v", p.Arrivals)
	}
	roundTrip(t, p)
}

// Instants that name no function are given to the profile's by lot.
func TestTimesAmongFunctions(t *testing.T) {
	t.Parallel()
	times := strings.Repeat("0s, ", 999) + "1s"
	p, err := Parse("p.yaml", []byte("target: {url: 'http://h'}\nfunctions: [{name: a, weight: 3}, {name: b}]\narrivals: {times: ["+times+"]}\n"), nil)
	if err == nil {
		err = p.readArrivals("p.yaml")
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	var counts [2]int
	for st := s.Stream(); ; {
		a, ok := st.Next()
		if !ok {
			break
		}
		counts[a.Function]++
	}
	if counts[0]+counts[1] != 1000 || counts[0] < 680 || counts[0] > 820 { // five standard deviations around 750
		t.Errorf("%v of 1000 with weights 3 and 1", counts)
	}
}
