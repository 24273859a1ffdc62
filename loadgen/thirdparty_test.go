package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/analysis"
	"edgebench/loadgen/peers/process"
	"edgebench/loadgen/probe"
)

// Runtimes of others, started by the tests as their users start them. .ci/runtimes
// installs them.
const runtimes = "../.cache/runtimes"

// installed is the absolute path of something, or skips the test.
func installed(t *testing.T, pattern string) string {
	t.Helper()
	found, _ := filepath.Glob(pattern)
	if len(found) == 0 {
		t.Skipf("%s is missing: .ci/runtimes installs it", pattern)
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// freeAddress is one that was free a moment ago: these programs cannot tell of
// one that they chose themselves.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a server until the test ends, or until stop.
func start(t *testing.T, address string, env []string, args ...string) (stop func()) {
	t.Helper()
	s, err := process.Serve(context.Background(), process.Command{Args: args, Core: process.AnyCore, Env: env}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if address != "" {
		if err := s.Reachable(ctx, address); err != nil {
			t.Fatal(err)
		}
	}
	return s.Stop
}

// brief are settings that make the recipes' phases short.
func brief(quiet time.Duration) []string {
	var args []string
	for _, set := range []string{
		"phases.start.for=2s", "phases.steady.for=1s", "phases.steady.rate=10/s",
		"phases.quiet.for=" + quiet.String(), "phases.burst.for=1s",
	} {
		args = append(args, "--set", set)
	}
	return args
}

// play runs a recipe against an endpoint.
func play(t *testing.T, recipe, endpoint string, quiet time.Duration, more ...string) *analysis.Summary {
	t.Helper()
	c := loadgen(t, "", append(append([]string{"run", recipe, "--url", endpoint, "--json", "--quiet"}, brief(quiet)...), more...)...)
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitThresholdsFailed, exitInvalid)
	s := c.summary(t)
	reconcile(t, s)
	return s
}

// confusion puts mark and threshold into words for the log.
func confusion(c analysis.Cold) string {
	text, _ := json.Marshal(c)
	return string(text)
}

// Google's functions-framework: every process marks its first answer, which takes
// long enough for a threshold to agree.
func TestFunctionsFramework(t *testing.T) {
	t.Parallel()
	program := installed(t, runtimes+"/functions-framework/node_modules/.bin/functions-framework")
	source := filepath.Dir(filepath.Dir(filepath.Dir(program)))
	for round := range 2 {
		address := freeAddress(t)
		_, port, _ := net.SplitHostPort(address)
		stop := start(t, address, []string{"PORT=" + port}, program, "--target=hello", "--source="+source)
		if round == 0 { // a fresh process is cold for the probe
			c := loadgen(t, "", "probe", "http://"+address+"/", "--profile", "faas-functions-framework", "--idle", "10ms", "--json")
			c.wantCode(t, c.code(t, c.Run()), exitOK)
			var r probe.Report
			if err := json.Unmarshal(c.stdout.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.Cold.Header != "X-Cold-Start" || r.Cold.ColdAnswers != 1 || r.Propose.ThresholdNS != nil && *r.FirstNS < *r.Propose.ThresholdNS {
				t.Errorf("%+v %+v, first %v", r.Cold, r.Propose, r.FirstNS)
			}
			stop()
			continue
		}
		s := play(t, "faas-functions-framework", "http://"+address+"/", 100*time.Millisecond, "--set", "cold.threshold=60ms")
		if s.Counts.OK != 32 || s.Cold.Marked != 32 || *s.Cold.Truth != 1 || s.Cold.Recall == nil || *s.Cold.Recall != 1 {
			t.Errorf("%+v %s", s.Counts, confusion(s.Cold))
		}
		t.Logf("by mark and by threshold: %s", confusion(s.Cold))
		stop()
	}
}

// AWS's emulator starts the function with the first event. It runs one event at a
// time and answers 400 to one that comes meanwhile, which is an error and not cold.
func TestLambdaRuntimeInterfaceEmulator(t *testing.T) {
	t.Parallel()
	program := installed(t, runtimes+"/aws-lambda-rie")
	function := filepath.Join(t.TempDir(), "bootstrap")
	build := exec.Command("go", "build", "-o", function, "./testdata/thirdparty/lambda")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	address := freeAddress(t)
	start(t, address, nil, program, "--log-level", "error", "--runtime-interface-emulator-address", address, "--runtime-api-address", freeAddress(t), function)
	s := play(t, "faas-lambda-rie", "http://"+address, 100*time.Millisecond)
	if s.Counts.OK == 0 || s.Cold.Marked != s.Counts.OK || *s.Cold.Truth != 1 || s.Counts.Errors != s.ErrorsByClass["http_4xx"] {
		t.Errorf("%+v %v %s", s.Counts, s.ErrorsByClass, confusion(s.Cold))
	}
	t.Logf("%+v, cold: %s", s.Counts, confusion(s.Cold))
}

const nginxForPHP = `daemon off;
master_process off;
pid %[1]s/nginx.pid;
error_log stderr crit;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  server {
    listen %[2]s;
    location / {
      fastcgi_pass unix:%[1]s/fpm.sock;
      fastcgi_param SCRIPT_FILENAME %[3]s;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param QUERY_STRING $query_string;
    }
  }
}
`

const fpm = `[global]
daemonize = no
error_log = %[1]s/fpm.log
[www]
%[2]slisten = %[1]s/fpm.sock
pm = ondemand
pm.max_children = 4
pm.process_idle_timeout = 1s
`

// PHP-FPM starts processes on demand and ends them after a second without work: a
// pause is followed by cold answers, told by the process that gave them.
func TestPHPOnDemand(t *testing.T) {
	t.Parallel()
	nginx, php := installed(t, "/usr/sbin/nginx"), installed(t, "/usr/sbin/php-fpm*")
	script, err := filepath.Abs("testdata/thirdparty/php/index.php")
	if err != nil {
		t.Fatal(err)
	}
	dir, address := t.TempDir(), freeAddress(t)
	user, args := "", []string{php, "--nodaemonize", "--fpm-config", dir + "/fpm.conf", "-n"}
	if os.Geteuid() == 0 {
		user, args = "user = root\ngroup = root\n", append(args, "--allow-to-run-as-root")
	}
	for name, text := range map[string]string{"fpm.conf": fmt.Sprintf(fpm, dir, user), "nginx.conf": fmt.Sprintf(nginxForPHP, dir, address, script)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	start(t, "", nil, args...)
	eventually(t, "php-fpm listens", func() bool { _, err := os.Stat(dir + "/fpm.sock"); return err == nil })
	start(t, address, nil, nginx, "-p", dir, "-c", dir+"/nginx.conf", "-e", "stderr")
	s := play(t, "faas-generic", "http://"+address+"/", 4*time.Second, "--set", "cold={instance_id: {header: X-Instance}, threshold: 2ms}")
	if s.Counts.OK != s.Counts.Sent || s.Cold.Marked != s.Counts.OK {
		t.Fatalf("%+v %v %s", s.Counts, s.ErrorsByClass, confusion(s.Cold))
	}
	for i, least := range []uint64{1, 0, 0, 1} { // at the start, and after the pause
		ph := s.Phases[i]
		if ph.Counts.OK > 0 && *ph.Cold.Truth < least {
			t.Errorf("phase %s: %d cold answers, want %d or more", ph.Name, *ph.Cold.Truth, least)
		}
	}
	if !strings.HasPrefix(s.Run.Target, "http://127.0.0.1:") {
		t.Errorf("target %q", s.Run.Target)
	}
	t.Logf("by instance and by a threshold of 2 ms: %s", confusion(s.Cold))
}
