package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What CI reads is there for a run that failed its thresholds, for one that was
// never possible, and says so.
func TestFilesForCI(t *testing.T) {
	t.Parallel()
	files := []string{"--quiet", "--junit", "out/junit.xml", "--markdown", "out/job.md"}
	c := loadgen(t, tiny, append([]string{"run", "p.yaml", "--threshold", "response.p50 < 1ns", "--threshold", "spike[2].error_rate <= 0%"}, files...)...)
	c.wantCode(t, c.code(t, c.Run()), exitThresholdsFailed, exitInvalid)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(c.Dir, "out", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, want := range []string{`tests="3" failures="1"`, `name="spike[2].error_rate &lt;= 0%"`, `<failure message="is `} {
		if text := read("junit.xml"); !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if text := read("job.md"); strings.Count(text, "### loadgen") != 1 || !strings.Contains(text, "**failed**") {
		t.Errorf("%s", text)
	}
	// Nobody listens any more on a port that was free a moment ago.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	again := loadgen(t, "", append([]string{"run", "--url", "http://" + l.Addr().String(), "--rate", "1/s", "--duration", "1s"}, files...)...)
	again.Dir = c.Dir
	again.wantCode(t, again.code(t, again.Run()), exitUnreachable)
	if text := read("junit.xml"); !strings.Contains(text, `errors="1"`) || strings.Contains(text, "spike") {
		t.Errorf("the file of the earlier run is left:\n%s", text)
	}
	if text := read("job.md"); strings.Count(text, "### loadgen") != 2 || !strings.Contains(text, "no result") {
		t.Errorf("a job's summary is added to:\n%s", text)
	}
	dirs, _ := filepath.Glob(filepath.Join(c.Dir, "runs", "*-tiny-*"))
	report := loadgen(t, "", append([]string{"report", dirs[0]}, files[1:]...)...)
	report.Dir = c.Dir
	report.wantCode(t, report.code(t, report.Run()), exitOK)
	if text := read("junit.xml"); !strings.Contains(text, `tests="3"`) {
		t.Errorf("%s", text)
	}
}
