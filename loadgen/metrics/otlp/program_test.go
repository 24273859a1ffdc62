//go:build otlp

package otlp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"edgebench/analysis"
)

// The program as it is built by the tag: a collector has in the end what the
// summary says, and one that is down costs a warning.
func TestProgram(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "loadgen")
	build := exec.Command("go", "build", "-tags", "otlp", "-o", program, "edgebench/loadgen")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(target.Close) // after the parallel parts
	play := func(t *testing.T, collector string) (*analysis.Summary, string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), program, "run", "--url", target.URL, "--rate", "50/s", "--duration", "1s", "--json", "--otlp", collector)
		cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &stdout, &stderr
		cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20open")
		err := cmd.Run()
		s := new(analysis.Summary)
		if json.Unmarshal(stdout.Bytes(), s) != nil || err != nil && s.Verdict != analysis.Invalid { // the machine may be busy
			t.Fatalf("%v\n%s\n%s", err, stdout.String(), stderr.String())
		}
		return s, stderr.String()
	}
	t.Run("up", func(t *testing.T) {
		t.Parallel()
		r := receive(t, func(req *http.Request) int {
			if req.Header.Get("Authorization") != "Bearer open" {
				return http.StatusUnauthorized
			}
			return 0
		})
		s, said := play(t, r.URL)
		if strings.Contains(said, "OTLP") {
			t.Error(said)
		}
		push := r.last(t)
		for name, want := range map[string]uint64{"scheduled": s.Counts.Scheduled, "sent": s.Counts.Sent, "ok": s.Counts.OK, "errors": s.Counts.Errors, "dropped": s.Counts.Dropped} {
			if got := count(t, push, "loadgen_requests_"+name+"_total"); got != want {
				t.Errorf("%d %s, the summary says %d", got, name, want)
			}
		}
		h := named(t, push, "loadgen_response_seconds").GetHistogram().DataPoints[0]
		sum := uint64(0)
		for _, n := range h.BucketCounts {
			sum += n
		}
		if h.Count != s.Counts.OK || sum != h.Count || len(h.BucketCounts) != len(h.ExplicitBounds)+1 || h.GetSum() <= 0 {
			t.Errorf("response times %v, want %d of them", h, s.Counts.OK)
		}
		if who := attributes(push.Resource.Attributes); who["service.name"] != "loadgen" || who["service.instance.id"] == "" {
			t.Errorf("resource %v", who)
		}
	})
	t.Run("down", func(t *testing.T) {
		t.Parallel()
		gone := httptest.NewServer(nil)
		gone.Close()
		if _, said := play(t, gone.URL); !strings.Contains(said, "loadgen: warning: OTLP: the last push is lost") || !strings.Contains(said, "connection refused") {
			t.Error(said)
		}
	})
}
