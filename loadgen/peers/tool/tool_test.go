package tool

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// outputs are what the programs printed for 2,000/s (wrk: as fast as it could)
// over a second.
func captured(t *testing.T, name string) []byte {
	t.Helper()
	out, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every generator of the registry is read, refuses what is no output of its
// own, and says what its figures mean.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, tool := range All() {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			if tool.Latency == "" || tool.Paces == "" || tool.Source.Program == "" || !tool.Closed && !tool.Variant && tool.Guess == 0 {
				t.Errorf("incomplete: %+v", tool)
			}
			name, _, _ := strings.Cut(tool.Name, "-") // a variant prints the same
			out := captured(t, name)
			got, err := tool.Parse(out)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, got)
			for _, wrong := range [][]byte{nil, []byte("connection refused\n"), out[:len(out)/3]} {
				if f, err := tool.Parse(wrong); err == nil {
					t.Errorf("%.40q is read as %+v", wrong, f)
				}
			}
		})
	}
}

func golden(t *testing.T, name string, got Figures) {
	t.Helper()
	path := filepath.Join("testdata", name+".json")
	if *update {
		data, err := json.MarshalIndent(got, "", "  ")
		if err == nil {
			err = os.WriteFile(path, append(data, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want Figures
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestFailuresAreNoGoodAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, new string
		want           Figures // counts alone
	}{
		{"bombardier", `"req5xx":0,"others":0`, `"req5xx":3,"others":4`, Figures{OK: 2000, Failed: 7}},
		{"vegeta", `"200":2000`, `"0":10,"200":1990`, Figures{OK: 1990, Failed: 10}},
		{"k6", `"passes":0,"fails":787`, `"passes":7,"fails":780`, Figures{OK: 780, Failed: 7, Dropped: 1124}},
		{"fortio", `"200": 2000`, `"-1": 20, "200": 1980`, Figures{OK: 1980, Failed: 20}},
		{"ours", `"errors": 0`, `"errors": 9`, Figures{OK: 2000, Failed: 9}},
		{"wrk", "Requests/sec", "  Non-2xx or 3xx responses: 99\nRequests/sec", Figures{OK: 29400, Failed: 99}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := string(captured(t, c.name))
			changed := strings.Replace(out, c.old, c.new, 1)
			if changed == out {
				t.Fatalf("%q is not in the output", c.old)
			}
			for _, tool := range All() {
				if tool.Name != c.name {
					continue
				}
				got, err := tool.Parse([]byte(changed))
				if err != nil {
					t.Fatal(err)
				}
				if got = (Figures{OK: got.OK, Failed: got.Failed, Dropped: got.Dropped}); got != c.want {
					t.Errorf("%+v, want %+v", got, c.want)
				}
			}
		})
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	ms := func(n time.Duration) *time.Duration { return new(n * time.Millisecond) }
	for _, c := range []struct {
		name         string
		f            Figures
		holds, keeps bool
	}{
		{"all of it", Figures{OK: 1000, Elapsed: time.Second, P99: ms(10)}, true, true},
		{"slow", Figures{OK: 1000, Elapsed: time.Second, P99: ms(11)}, false, true},
		{"a little behind", Figures{OK: 1000, Elapsed: 1020 * time.Millisecond, P99: ms(1)}, false, true},
		{"behind", Figures{OK: 1000, Elapsed: 1060 * time.Millisecond, P99: ms(1)}, false, false},
		{"failing", Figures{OK: 1000, Failed: 60, Elapsed: time.Second, P99: ms(1)}, false, false},
		{"dropping", Figures{OK: 1000, Dropped: 60, Elapsed: time.Second, P99: ms(1)}, false, false},
		{"silent about p99", Figures{OK: 1000, Elapsed: time.Second}, false, true},
		{"nothing", Figures{}, false, false},
	} {
		if c.f.Holds(1000) != c.holds || c.f.Keeps(1000) != c.keeps {
			t.Errorf("%s: holds %v, keeps %v", c.name, c.f.Holds(1000), c.f.Keeps(1000))
		}
	}
}

func TestSourcesSayWhatToDo(t *testing.T) {
	t.Parallel()
	_, err := Source{Program: "loadgen"}.Find(t.Context(), Folders{Ours: t.TempDir()}, nil)
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("a program that was not built: %v", err)
	}
	path, err := Source{Program: "sh", Package: "dash"}.Find(t.Context(), Folders{}, nil)
	if err != nil || !filepath.IsAbs(path) {
		t.Errorf("a program that is there: %q, %v", path, err)
	}
}
