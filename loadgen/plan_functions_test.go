package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// called runs a command that starts nothing, within the test's process.
func called(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestPlanShowsWhatATraceGives(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := called(t, "plan", "trace", "--set", "arrivals.trace.scale=0.5", "--set", "arrivals.trace.select={top: 2}")
	for _, want := range []string{"o1/shop/checkout", "120ms", "selected 2 of 6 functions, 663 of 826 calls (80.3 %)", "about ±13 (one standard deviation)"} {
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("exit %d: lacks %q\n%s%s", code, want, stdout, stderr)
		}
	}
	code, stdout, _ = called(t, "plan", "trace", "--json")
	var p plan
	if err := json.Unmarshal([]byte(stdout), &p); code != exitOK || err != nil {
		t.Fatalf("exit %d, %v", code, err)
	}
	var planned uint64
	for _, f := range p.Functions {
		planned += f.Planned
	}
	if len(p.Functions) != 6 || planned != 826 || p.Planned != 826 || p.Trace.Calls != 826 || len(p.Trace.Notes) != 1 {
		t.Errorf("%+v", p)
	}
}

func TestARunThatIsNotThereIsNotReplayed(t *testing.T) {
	t.Parallel()
	code, _, stderr := called(t, "plan", "constant", "--set", "arrivals={replay: {run: "+t.TempDir()+"}}", "--set", "phases.load={name: load, for: 1s}")
	if code != exitUsage || !strings.Contains(stderr, "arrivals.replay: ") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
