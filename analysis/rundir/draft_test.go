package rundir

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func mustCreate(t *testing.T, parent string, parts ...string) *Draft {
	t.Helper()
	d, err := Create(parent, parts...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSealGivesTheFinalName(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "runs") // does not exist yet
	d := mustCreate(t, parent, "20261130T054500Z", "bursty-ramp", "ewma", "1a2b3c")
	if err := d.WriteManifest(NewManifest(ProducerLoadgen, time.Unix(1, 5))); err != nil {
		t.Fatal(err)
	}
	events, err := d.Events()
	if err != nil {
		t.Fatal(err)
	}
	if err := events.WriteJSON(map[string]any{"event": "phase_start", "unix_ns": 1}); err != nil {
		t.Fatal(err)
	}
	if _, partial, err := List(parent); err != nil || len(partial) != 1 || partial[0] != d.Path() {
		t.Fatalf("partial %v, %v; want %s", partial, err, d.Path())
	}
	if run, err := Open(d.Path()); err != nil || run.Sealed {
		t.Fatalf("unsealed: %+v, %v", run, err)
	}
	path, err := d.Seal() // closes events
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(parent, "20261130T054500Z-bursty-ramp-ewma-1a2b3c"); path != want {
		t.Errorf("sealed as %s, want %s", path, want)
	}
	sealed, partial, err := List(parent)
	if err != nil || len(sealed) != 1 || sealed[0] != path || len(partial) != 0 {
		t.Errorf("sealed %v, partial %v, %v", sealed, partial, err)
	}
	run, err := Open(path)
	if err != nil || !run.Sealed || run.Manifest.StartedUTC != "1970-01-01T00:00:01.000000005Z" {
		t.Errorf("%+v, %v", run, err)
	}
	data, err := os.ReadFile(filepath.Join(path, EventsFile))
	if err != nil || string(data) != `{"event":"phase_start","unix_ns":1}`+"\n" {
		t.Errorf("events %q, %v", data, err)
	}
}

func TestTwoRunsOfOneSecond(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	first, second := mustCreate(t, parent, "x"), mustCreate(t, parent, "x")
	if first.Path() == second.Path() {
		t.Fatalf("both drafts are %s", first.Path())
	}
	third := filepath.Join(parent, "x")
	if err := os.Mkdir(third, 0o755); err != nil { // an empty directory, which rename would replace
		t.Fatal(err)
	}
	for _, d := range []*Draft{first, second} {
		if err := d.WriteManifest(NewManifest(ProducerTwin, time.Unix(0, 0))); err != nil {
			t.Fatal(err)
		}
		path, err := d.Seal()
		if err != nil || path == third {
			t.Errorf("sealed as %s, %v", path, err)
		}
	}
	if sealed, partial, err := List(parent); err != nil || len(sealed) != 2 || len(partial) != 0 {
		t.Errorf("sealed %v, partial %v, %v", sealed, partial, err)
	}
}

func TestNamesCannotEscape(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	d := mustCreate(t, parent, "../../etc", "a b/ü", ".hidden", "", strings.Repeat("x", 300))
	if got, want := d.Name(), "_.._etc-a_b__-hidden-"+strings.Repeat("x", 80); got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	if filepath.Dir(d.Path()) != parent {
		t.Errorf("draft at %s, outside %s", d.Path(), parent)
	}
	if _, err := Create(parent, "", "."); err == nil {
		t.Error("a run without a name was created")
	}
	if err := d.Discard(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestOutputFolderThatCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(file, "x"); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("below a file: %v", err)
	}
	if os.Geteuid() == 0 {
		return // permission bits do not stop root
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, "x"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("not writable: %v", err)
	}
}

func TestSealNeedsAManifest(t *testing.T) {
	t.Parallel()
	d := mustCreate(t, t.TempDir(), "x")
	if _, err := d.Seal(); !errors.Is(err, ErrNotARun) {
		t.Errorf("got %v", err)
	}
}

func TestFullDevice(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	w, err := newSampleWriter(newFile(full))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteSamples(mixedSamples(10)); err != nil {
		t.Errorf("a buffered write failed: %v", err)
	}
	for _, err := range []error{w.Flush(), w.WriteSamples(mixedSamples(1)), w.Close(), w.Close()} {
		if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "/dev/full") {
			t.Errorf("got %v, want no space left on /dev/full every time", err)
		}
	}
}

// limitedEnv makes the test binary write a run directory under a file size
// limit: a disk that fills up in the middle of a run, without a mount.
const limitedEnv = "RUNDIR_TEST_LIMITED"

func TestMain(m *testing.M) {
	if parent := os.Getenv(limitedEnv); parent != "" {
		os.Exit(writeUnderLimit(parent))
	}
	os.Exit(m.Run())
}

// writeUnderLimit exits with 3 when the failing write was told with its path
// and nothing was sealed.
func writeUnderLimit(parent string) int {
	signal.Ignore(unix.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100 << 10, Max: 100 << 10}); err != nil {
		return 1
	}
	d, err := Create(parent, "limited")
	if err != nil {
		return 1
	}
	if err := d.WriteManifest(NewManifest(ProducerLoadgen, time.Now())); err != nil {
		return 1
	}
	w, err := d.Samples()
	if err != nil {
		return 1
	}
	_ = w.WriteSamples(mixedSamples(500_000)) // told again by Seal
	path, err := d.Seal()
	if path == "" && errors.Is(err, unix.EFBIG) && strings.Contains(err.Error(), SamplesFile) {
		return 3
	}
	return 1
}

func TestDiskThatFillsUp(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), limitedEnv+"="+parent)
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		t.Fatalf("exit code %d, %v\n%s", code, err, out)
	}
	sealed, partial, err := List(parent)
	if err != nil || len(sealed) != 0 || len(partial) != 1 {
		t.Fatalf("sealed %v, partial %v, %v", sealed, partial, err)
	}
	// What reached the disk is still readable, as partial.
	rows := 0
	notes, err := ReadSamples(partial[0], func(*Sample) error { rows++; return nil })
	if err != nil || rows == 0 || notes.Torn == "" {
		t.Errorf("%d rows, %+v, %v", rows, notes, err)
	}
}

func TestReplaceLeavesTheOldFileOnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Replace(dir, SummaryFile, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := Replace(filepath.Join(dir, "missing"), SummaryFile, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing directory: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, SummaryFile))
	if err != nil || string(data) != "old" {
		t.Errorf("%q, %v", data, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestReadManifestRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"later schema", `{"schema_version": 2, "phases": "other"}`, "schema_version 2 is not known"},
		{"no schema", `{}`, "no schema_version"},
		{"empty", ``, "unexpected end"},
		{"torn", `{"schema_version": 1, "ar`, "unexpected end"},
		{"wrong type", `{"schema_version": 1, "planned": -1}`, "planned"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error %v, want it to name %s and say %q", err, dir, tt.want)
			}
		})
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNotARun) {
		t.Errorf("empty directory: %v", err)
	}
}
