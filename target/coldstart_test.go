package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"edgebench/target/worker"
)

func TestColdStart(t *testing.T) {
	t.Parallel()
	var out, log strings.Builder
	args := strings.Fields("--runtime fork,exec -n 3 --heap 1MiB --workers 2 --work cpu --json")
	if code := coldStart(t.Context(), args, &out, &log); code != exitOK || log.Len() > 0 {
		t.Fatalf("exit %d: %s", code, &log)
	}
	var report struct {
		Work     string
		Runtimes []struct {
			Runtime string
			Ready   struct{ N int } `json:"spawn_to_ready"`
			Memory  []struct{ State string }
		}
	}
	if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
		t.Fatal(err)
	}
	if report.Work != "cpu" || len(report.Runtimes) != 2 || report.Runtimes[1].Runtime != "exec" ||
		report.Runtimes[1].Ready.N != 3 || len(report.Runtimes[1].Memory) != 4 {
		t.Errorf("%+v", report)
	}
}

func TestColdStartFaults(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	args := []string{"cold-start", "--runtime", "spoon", "-n", "few", "--heap=1", "--csv", "--json", "now"}
	if code := run(args, nil, io.Discard, &log); code != exitUsage {
		t.Errorf("exit %d, want %d", code, exitUsage)
	}
	for _, want := range []string{`runtime "spoon": unknown`, `flag --n "few": not a whole number`, "heap of 1 bytes", "give one of them", `argument "now"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in:\n%s", want, &log)
		}
	}
}

// What was measured until an interruption is printed.
func TestColdStartInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	code := coldStart(ctx, []string{"--runtime", "exec", "--heap", "1MiB"}, &out, io.Discard)
	if code != exitInterrupted || !strings.Contains(out.String(), "interrupted: this is what there was") {
		t.Errorf("exit %d\n%s", code, &out)
	}
}

func TestColdStartHelp(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if code := coldStart(t.Context(), []string{"--help"}, &out, io.Discard); code != exitOK {
		t.Errorf("exit %d", code)
	}
	for _, name := range append(worker.Names(), worker.Works()...) {
		if !strings.Contains(out.String(), "\n  "+name+" ") {
			t.Errorf("the help lacks %s", name)
		}
	}
}
