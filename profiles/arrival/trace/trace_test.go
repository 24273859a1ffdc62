package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/profiles/arrival"
)

const head = "HashOwner,HashApp,HashFunction,Trigger,1,2,3\n"

// files of a test, by name.
type files map[string]string

func (f files) open(name string) (io.ReadCloser, error) {
	text, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func request(format string, change func(*Request)) Request {
	r := Request{Format: format, Speed: 1, Scale: 1, Spacing: "equidistant", Aligned: true, Files: map[string]string{
		"invocations": "i.csv", "durations": "d.csv", "file": "c.csv", "folder": "dir",
	}}
	if change != nil {
		change(&r)
	}
	return r
}

func read(t *testing.T, r Request, f files) *Trace {
	t.Helper()
	tr, err := Read(r, f.open)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// play is "function@seconds" of every arrival.
func play(t *testing.T, tr *Trace) []string {
	t.Helper()
	s, err := arrival.NewRecorded(nil, tr.Source, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	st := s.Stream()
	for a, ok := st.Next(); ok; a, ok = st.Next() {
		got = append(got, fmt.Sprintf("%s@%g", s.Functions()[a.Function].Name, a.At.Seconds()))
	}
	return got
}

func withoutDurations(r *Request) { delete(r.Files, "durations") }

func TestCountsOfAzure2019(t *testing.T) {
	t.Parallel()
	tr := read(t, request("azure2019", withoutDurations), files{"i.csv": head + "o1,a1,f1,http,3,0,2\n"})
	want := []string{"o1/a1/f1@0", "o1/a1/f1@20", "o1/a1/f1@40", "o1/a1/f1@120", "o1/a1/f1@150"}
	if diff := cmp.Diff(want, play(t, tr)); diff != "" {
		t.Error(diff)
	}
	if tr.Calls != 5 || tr.Kept != 5 || tr.Functions != 1 || tr.Selected != 1 || len(tr.Notes) > 0 {
		t.Errorf("%+v", tr)
	}
}

// What real files have: a byte order mark, CRLF, functions in one file only, the
// same function id in two apps, zeros, counts that do not add up, rows twice.
func TestOddRealFilesAreReadAndCounted(t *testing.T) {
	t.Parallel()
	tr := read(t, request("azure2019", nil), files{
		"i.csv": "\ufeff" + strings.ReplaceAll(head, "\n", "\r\n") +
			"o1,a1,f1,http,1,0,0\r\no1,a2,f1,http,0,2,0\r\n\r\no1,a1,f2,timer,0,0,0\r\no1,a1,f1,queue,1,1,0\r\no2,a1,f3,http,0,0,1\r\n",
		"d.csv": "HashOwner,HashApp,HashFunction,Average,Count,Minimum,Maximum,percentile_Average_50\n" +
			"o1,a1,f1,250.5,3,1,9,2\no1,a1,f1,9,3,1,9,2\no1,a2,f1,0,7,0,0,0\no9,a9,f9,1,1,1,1,1\n",
	})
	service := map[string]time.Duration{}
	for _, f := range tr.Source.Functions() {
		service[f.Name] = f.Service
	}
	if diff := cmp.Diff(map[string]time.Duration{"o1/a1/f1": 250500 * time.Microsecond, "o1/a2/f1": 0, "o2/a1/f3": 0}, service); diff != "" {
		t.Error(diff)
	}
	if got := play(t, tr); len(got) != 6 {
		t.Errorf("arrivals %v", got)
	}
	notes := strings.Join(tr.Notes, "\n")
	for _, want := range []string{
		"functions with several rows, whose counts are added: 1", "functions without a call in the time asked for, left out: 1", "selected functions without a duration, of which no service time is asked: 1",
		"selected functions with an average duration of 0, of which no service time is asked: 1", "durations of functions that have no counts: 1",
		"durations of functions that had one already, where the first counts: 1", "functions whose count beside their duration is not the sum of their columns: 1",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes lack %q:\n%s", want, notes)
		}
	}
}

func TestInVitroFolders(t *testing.T) {
	t.Parallel()
	f := files{
		"dir/invocations.csv": "hashfunction,HASHAPP,HashOwner,1,2\nf1,a1,o1,1,1\n",
		"dir/durations.csv":   "HashOwner,HashApp,HashFunction,Average,Count\no1,a1,f1,10,2\n",
	}
	seconds := func(r *Request) { r.Column = time.Second }
	tr := read(t, request("invitro", seconds), f)
	if diff := cmp.Diff([]string{"o1/a1/f1@0", "o1/a1/f1@1"}, play(t, tr)); diff != "" {
		t.Error(diff)
	}
	if tr.Source.Functions()[0].Service != 10*time.Millisecond {
		t.Errorf("%+v", tr.Source.Functions())
	}
	delete(f, "dir/durations.csv")
	if tr := read(t, request("invitro", seconds), f); len(tr.Notes) != 1 || !strings.Contains(tr.Notes[0], "not there") {
		t.Errorf("notes %q", tr.Notes)
	}
	if _, err := Read(request("azure2019", nil), files{"i.csv": head + "o,a,f,t,1,1,1\n"}.open); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was asked for is missing: %v", err)
	}
}

func TestCallsOfAzure2021(t *testing.T) {
	t.Parallel()
	f := files{"c.csv": "app,func,end_timestamp,duration\na1,f1,10.000,9.000\na1,f2,10.500,0.013\na2,f1,0.5,0.75\na1,f1,1.0,1.0\na1,f2,1.013,0.013\na1,f1,10,9\n"}
	tr := read(t, request("azure2021", nil), f)
	// Start 0 twice (end 1.0 less 1.0), two at 1, one before the recording.
	want := []string{"a1/f1@0", "a1/f1@1", "a1/f2@1", "a1/f1@1", "a1/f2@10.487"}
	if diff := cmp.Diff(want, play(t, tr)); diff != "" {
		t.Error(diff)
	}
	if fs := tr.Source.Functions(); fs[0].Service != (9+9+1)*time.Second/3 || fs[1].Service != 13*time.Millisecond {
		t.Errorf("%+v", fs)
	}
	if !strings.Contains(strings.Join(tr.Notes, "\n"), "calls that started before the recording, left out: 1") {
		t.Errorf("notes %q", tr.Notes)
	}
	later := read(t, request("azure2021", func(r *Request) { r.From, r.For, r.Speed = time.Second, 5*time.Second, 2 }), f)
	if diff := cmp.Diff([]string{"a1/f1@0", "a1/f2@0", "a1/f1@0"}, play(t, later)); diff != "" {
		t.Error(diff)
	}
	if later.Source.Length() != 2500*time.Millisecond {
		t.Errorf("length %v", later.Source.Length())
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	f := files{"i.csv": head + "o,a,f1,t,1,0,0\no,a,f2,t,9,0,9\no,b,f2,t,0,5,0\no,a,f3,t,0,0,7\no,a,f4,t,0,0,0\n"}
	names := func(change func(*Request)) string {
		tr := read(t, request("azure2019", func(r *Request) { withoutDurations(r); change(r) }), f)
		var names []string
		for _, f := range tr.Source.Functions() {
			names = append(names, f.Name)
		}
		return strings.Join(names, " ")
	}
	for want, change := range map[string]func(*Request){
		"o/a/f2 o/a/f3 o/b/f2 o/a/f1": func(*Request) {},
		"o/a/f2 o/a/f3":               func(r *Request) { r.Select.Top = 2 },
		"o/b/f2 o/a/f1":               func(r *Request) { r.Select.IDs = []string{"f1", "b/f2", "o/a/f1"} },
		"o/a/f2 o/a/f1":               func(r *Request) { r.Select.Top, r.For = 2, time.Minute },
		"o/a/f2 o/a/f3 ":              func(r *Request) { r.From = 2 * time.Minute; r.Select.Top = 3 },
	} {
		if got := names(change); got != strings.TrimSpace(want) {
			t.Errorf("selected %s, want %s", got, want)
		}
	}
	seen := map[string]bool{}
	for seed := range uint64(20) {
		got := names(func(r *Request) { r.Select.Sample, r.Select.Seed = 2, seed })
		if again := names(func(r *Request) { r.Select.Sample, r.Select.Seed = 2, seed }); again != got {
			t.Errorf("seed %d: %s, then %s", seed, got, again)
		}
		seen[got] = true
	}
	if len(seen) < 3 {
		t.Errorf("20 seeds sampled only %v", seen)
	}
}

func TestFaultsNameTheirPlace(t *testing.T) {
	t.Parallel()
	good := "o,a,f,t,1,1,1\n"
	tests := []struct {
		name, format, text string
		change             func(*Request)
		want               string
	}{
		{"empty", "azure2019", "", nil, "i.csv: empty"},
		{"no id", "azure2019", "HashOwner,HashApp,1,2\n", nil, "i.csv:1: the header has no column HashFunction"},
		{"no counts", "azure2019", "HashOwner,HashApp,HashFunction,Trigger\n", nil, "i.csv:1: the header has no columns of counts"},
		{"columns from 2", "azure2019", "HashOwner,HashApp,HashFunction,Trigger,2,3\n", nil, `i.csv:1:40: column "2"`},
		{"not a count", "azure2019", head + good + "o,a,g,t,1,x,3\n", nil, `i.csv:3:11: "x" is not a number of calls`},
		{"below 0", "azure2019", head + "o,a,g,t,1,2,-3\n", nil, `i.csv:2:13: "-3" is not`},
		{"too large", "azure2019", head + "o,a,g,t,1,2,99999999999\n", nil, `i.csv:2:13`},
		{"no count", "azure2019", head + "o,a,g,t,1,,3\n", nil, "i.csv:2:11: the number of calls is missing"},
		{"half an id", "azure2019", head + "o,,g,t,1,1,3\n", nil, "i.csv:2:3: a part of the function's id is missing"},
		{"too few fields", "azure2019", head + "o,a,g,t,1,1\n", nil, "i.csv:2: 6 fields, the header has 7"},
		{"every fault", "azure2019", head + "o,a,g,t,1\no,a,g,t,1,x,3\n", nil, "i.csv:3:11"},
		{"hopeless", "azure2019", head + strings.Repeat("x\n", 1000), nil, "too many faults"},
		{"silent", "azure2019", head + "o,a,f,t,0,0,0\n", nil, "i.csv: no function is called"},
		{"behind the end", "azure2019", head + good, func(r *Request) { r.From = 3 * time.Minute }, "behind its end"},
		{"half a column", "azure2019", head + good, func(r *Request) { r.For = 90 * time.Second }, "whole columns of 1m0s"},
		{"nobody of that name", "azure2019", head + good, func(r *Request) { r.Select.IDs = []string{"g", "h"} }, `no function "g" is called in the time asked for; no function "h"`},
		{"two of that name", "azure2019", head + good + "o,b,f,t,1,1,1\n", func(r *Request) { r.Select.IDs = []string{"f"} }, "2 functions are called \"f\": write one as o/a/f"},
		{"no duration", "azure2021", "app,func,end_timestamp\n", nil, "c.csv:1: the header has no column duration"},
		{"not a time", "azure2021", "app,func,end_timestamp,duration\na,f,NaN,1\n", nil, `c.csv:2:5: "NaN" is not a finite number`},
		{"no time", "azure2021", "app,func,end_timestamp,duration\na,f,,1\n", nil, "c.csv:2:5: a number of seconds is missing"},
		{"below 0 long", "azure2021", "app,func,end_timestamp,duration\na,f,1,-1\n", nil, `c.csv:2:7: "-1" is below 0`},
		{"ages long", "azure2021", "app,func,end_timestamp,duration\na,f,1e300,1\n", nil, "c.csv:2:5"},
		{"multiplied", "azure2021", "app,func,end_timestamp,duration\na,f,2,1\n", func(r *Request) { r.Scale = 2 }, "can be thinned"},
		{"a long line", "azure2019", head + strings.Repeat("x", maxLine+1), nil, "i.csv:2: the line is longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := request(tt.format, tt.change)
			withoutDurations(&r)
			_, err := Read(r, files{"i.csv": tt.text, "c.csv": tt.text}.open)
			var faults Faults
			if !errors.As(err, &faults) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v lacks %q", err, tt.want)
			}
			if len(faults) > maxFaults+1 {
				t.Errorf("%d faults", len(faults))
			}
		})
	}
}

func TestEveryFormatHasItsText(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		if _, ok := FormatOf(f.Name); !ok || f.Help == "" || len(f.Files) == 0 {
			t.Errorf("%+v", f)
		}
		for _, file := range f.Files {
			if file.Key == "" || file.Help == "" {
				t.Errorf("%s: %+v", f.Name, file)
			}
		}
	}
	if _, err := Read(Request{Format: "azure2020"}, nil); err == nil {
		t.Error("an unknown format was accepted")
	}
}

// No text makes a reader panic, and what it accepts can be played.
func FuzzRead(f *testing.F) {
	f.Add([]byte(head+"o1,a1,f1,http,3,0,2\n"), []byte("HashOwner,HashApp,HashFunction,Average,Count\no1,a1,f1,10,5\n"))
	f.Add([]byte("app,func,end_timestamp,duration\na1,f1,10.000,9.000\n"), []byte(""))
	f.Add([]byte("\xef\xbb\xbfhashfunction,hashapp,hashowner,1\r\n\"f\",a,o,4294967295\r\n"), []byte("x"))
	f.Fuzz(func(t *testing.T, data, durations []byte) {
		dir := fstest.MapFS{"i.csv": {Data: data}, "c.csv": {Data: data}, "dir/invocations.csv": {Data: data}, "d.csv": {Data: durations}, "dir/durations.csv": {Data: durations}}
		open := func(name string) (io.ReadCloser, error) { return dir.Open(name) }
		for _, format := range Formats() {
			for _, spacing := range arrival.Spacings() {
				tr, err := Read(request(format.Name, func(r *Request) { r.Spacing, r.Aligned = spacing.Name, false }), open)
				if err != nil {
					if err.Error() == "" {
						t.Error("an error without text")
					}
					continue
				}
				s, err := arrival.NewRecorded(nil, tr.Source, 1)
				if err != nil {
					continue // longer than a schedule may be
				}
				if tr.Kept > 1000 { // a column may say billions
					continue
				}
				st, n := s.Stream(), uint64(0)
				for a, ok := st.Next(); ok; a, ok = st.Next() {
					if n++; a.At < 0 || a.At >= s.Duration() {
						t.Fatalf("arrival %+v outside %v", a, s.Duration())
					}
				}
				if n != tr.Kept {
					t.Fatalf("%d arrivals of %d calls from\n%s", n, tr.Kept, bytes.ToValidUTF8(data, nil))
				}
			}
		}
	})
}
