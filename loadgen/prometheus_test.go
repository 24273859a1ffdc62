package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// longRun is tiny for as long as a test wants to look at it, on a policy that has
// something to decide.
var longRun = strings.NewReplacer("static: {}", "ewma: {}", "for: 500ms, measure", "for: 60s, measure", "rate: 100/s", "rate: 60/s").Replace(tiny)

// A prometheus is Debian's program on a port of its own.
type prometheus struct{ address string }

func startPrometheus(t *testing.T, targets map[string]string, flags ...string) *prometheus {
	t.Helper()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("no prometheus installed (Debian: prometheus)")
	}
	dir := t.TempDir()
	config := "global: {scrape_interval: 200ms, scrape_timeout: 200ms}\nscrape_configs:\n"
	for job, address := range targets {
		config += fmt.Sprintf("  - {job_name: %s, static_configs: [{targets: [%q]}]}\n", job, address)
	}
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	// The program takes no port 0 and does not say what it got: a port that was
	// free is asked for, again when somebody else was quicker.
	for range 5 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		p := &prometheus{l.Addr().String()}
		l.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cmd := exec.CommandContext(ctx, program, append([]string{
			"--config.file=" + file, "--storage.tsdb.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + p.address, "--log.level=warn",
		}, flags...)...)
		var said sharedBuffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		t.Cleanup(func() { cancel(); <-ended })
		if p.ready(ended) {
			return p
		}
		t.Logf("prometheus did not start: %s", said.String())
	}
	t.Fatal("prometheus does not start")
	return nil
}

func (p *prometheus) ready(ended chan struct{}) bool {
	for {
		if resp, err := http.Get("http://" + p.address + "/-/ready"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return true
			}
		}
		select {
		case <-ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// series is how many series a query gives that hold a number.
func (p *prometheus) series(t *testing.T, query string) (n int) {
	t.Helper()
	resp, err := http.Get("http://" + p.address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var told struct {
		Status, Error string
		Data          struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&told); err != nil {
		t.Fatal(err)
	}
	if told.Status != "success" {
		t.Fatalf("%s: %s", query, told.Error)
	}
	for _, r := range told.Data.Result {
		if r.Value[1] != "NaN" {
			n++
		}
	}
	return n
}

// watched starts a run with a live page and returns it, the page's address and
// token, and the node's address.
func watched(t *testing.T) (c *command, page *url.URL, node string) {
	t.Helper()
	c = loadgen(t, longRun, "run", "p.yaml", "--live", ":0")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	page = pageOn(t, c)
	resp, err := http.Get("http://" + page.Host + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReaderSize(resp.Body, 1<<20)
	for node == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var story struct{ Head struct{ Target string } }
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &story) == nil {
			node = strings.TrimPrefix(story.Head.Target, "http://")
		}
	}
	return c, page, node
}

// stop stops a run as the page's button does, and waits for it.
func (c *command) stop(t *testing.T, page *url.URL) {
	t.Helper()
	pressStop(t, page)
	c.wantCode(t, c.code(t, c.Wait()), exitPartial)
}

// pressStop is the page's button.
func pressStop(t *testing.T, page *url.URL) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+page.Host+"/stop", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimPrefix(page.Fragment, "token="))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("stop: %s", resp.Status)
	}
}

// Every query of the dashboard gives numbers, on a Prometheus as it comes; and
// one that takes native histograms gets them, of node and generator.
func TestDashboardOnARealPrometheus(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("prometheus"); err != nil || testing.Short() {
		t.Skip("no prometheus installed (Debian: prometheus), or -short")
	}
	c, page, node := watched(t)
	targets := map[string]string{"loadgen": page.Host, "target": node}
	plain := startPrometheus(t, targets)
	data, err := os.ReadFile("../deploy/grafana/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Annotations struct{ List []struct{ Expr string } }
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	queries := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			query := strings.ReplaceAll(target.Expr, "$__rate_interval", "30s")
			eventually(t, panel.Title+": "+query+" gives numbers", func() bool { return plain.series(t, query) > 0 })
			queries++
		}
	}
	if queries < 20 || len(dashboard.Annotations.List) != 1 {
		t.Errorf("%d queries, %d annotations", queries, len(dashboard.Annotations.List))
	}
	_ = plain.series(t, dashboard.Annotations.List[0].Expr) // there may be no change of phase meanwhile
	if n := plain.series(t, `up == 1`); n != 2 {
		t.Errorf("%d of 2 targets are up", n)
	}
	native := startPrometheus(t, targets, "--enable-feature=native-histograms")
	for _, name := range []string{"loadgen_response_seconds", "loadgen_lag_seconds", "target_service_seconds", `target_wait_seconds{path="warm"}`} {
		query := "histogram_quantile(0.9, rate(" + name + "[30s]))"
		eventually(t, query+" gives a number", func() bool { return native.series(t, query) == 1 })
	}
	// Its quantile is that of the classic buckets, and finer: the service time is 5 ms.
	within := `histogram_quantile(0.5, target_service_seconds) > 0.0045 and histogram_quantile(0.5, target_service_seconds) < 0.2`
	if native.series(t, within) != 1 {
		t.Error("the median of the service time is not where it was set")
	}
	documented(t, page.Host, node)
	c.stop(t, page)
	if !strings.Contains(c.stdout.String(), "partial") || !strings.Contains(c.stderr.String(), "stopped from the live page") {
		t.Errorf("stdout: %s\nstderr: %s", c.stdout.String(), c.stderr.String())
	}
}

// documented holds what both programs serve against docs/metrics.md, and against
// what promtool thinks of it.
func documented(t *testing.T, addresses ...string) {
	t.Helper()
	page, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\|").FindAllStringSubmatch(string(page), -1) {
		told[m[1]] = m[2]
	}
	for _, address := range addresses {
		resp, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^# TYPE (\w+) (\w+)$`).FindAllStringSubmatch(string(text), -1) {
			if told[m[1]] != m[2] {
				t.Errorf("%s is a %s, and %q in docs/metrics.md", m[1], m[2], told[m[1]])
			}
			delete(told, m[1])
		}
		lint := exec.Command("promtool", "check", "metrics")
		lint.Stdin = bytes.NewReader(text)
		if out, err := lint.CombinedOutput(); err != nil {
			t.Errorf("promtool: %v\n%s", err, out)
		}
	}
	for name := range told {
		t.Errorf("docs/metrics.md has %s, and nobody serves it", name)
	}
}
