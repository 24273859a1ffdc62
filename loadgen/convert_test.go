package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/loadgen/convert"
	"edgebench/loadgen/request"
	"edgebench/loadgen/transport"
	"edgebench/profiles"
)

// A seen request is what a server can tell of it.
type seen struct {
	Method, URI, Body string
	Header            http.Header
}

// witness is a server that hands on what it was sent.
func witness(t *testing.T) (url string, next func() seen) {
	t.Helper()
	came := make(chan seen, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Header.Del("Content-Length")
		came <- seen{r.Method, r.RequestURI, string(body), r.Header}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() seen {
		t.Helper()
		select {
		case s := <-came:
			s.Header.Del("Expect") // head and body are sent at once
			if strings.HasPrefix(s.Header.Get("User-Agent"), "curl/") || s.Header.Get("User-Agent") == "loadgen" {
				s.Header.Del("User-Agent") // each says who it is
			}
			return s
		case <-time.After(time.Minute):
			t.Fatal("no request came")
			return seen{}
		}
	}
}

// shell runs command lines as a user does.
func shell(t *testing.T, dir, line string, env []string) {
	t.Helper()
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%v: what curl sends is not known without it", err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "HOME="+dir, "no_proxy=*"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// Both send the request that curl sends: what a shell and curl make of a line is
// asked of them, not of a table.
func TestAConvertedLineSendsWhatCurlSends(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{"COOKIE": "sid=1;b=2", "BEARER_TOKEN": "abc.def", "USERNAME": "me", "PASSWORD": "p w", "TOKEN": "from-env", "API_KEY": "k%20y", "BASIC_CREDENTIALS": "bWU6", "X_API_KEY": "secret"}
	for name, line := range map[string]string{
		"plain":               `curl URL`,
		"no path, a query":    `curl "URL?a=b"`,
		"dots in the path":    `curl "URL/a/./b/../c?x=../y"`,
		"dots kept":           `curl --path-as-is URL/a/../c`,
		"spaces by the shell": `curl URL/a%20b -H 'X-A:  two  words  ' -H"X-B: 'q'"`,
		"form":                `curl URL/f -d a=1 -d 'b=x y' --data-urlencode 'c=d&e ü' --data-urlencode '=~'`,
		"json":                `curl --json '{"a": [1,2]}' URL/j`,
		"ansi quotes":         `curl URL --data-raw $'{"it\'s": "\u00e9\x41\101\n"}' -H 'content-type: application/json'`,
		"clusters":            `curl -sSfgXPATCH -da=1 "URL/{x}"`,
		"continued":           "curl \\\n  -A 'my agent' \\\n  -e http://ref/ URL/ # done",
		"get with data":       `curl -G URL/s -d q=1 --data-urlencode 'w=a b'`,
		"query by a flag":     `curl --url-query 'z=a b' --url-query +y=%20 URL/s`,
		"head":                `curl -I URL/h`,
		"range and accept":    `curl -r 0-9 -H 'Accept: text/plain' URL/`,
		"removed and empty":   `curl -H Accept: -H 'X-Empty;' URL/`,
		"cookies":             `curl -b sid=1 -b 'b=2' URL/`,
		"bearer":              `curl -H 'Authorization: Bearer abc.def' URL/`,
		"basic":               `curl -u 'me:p w' URL/`,
		"basic without":       `curl -u me: URL/`,
		"account in the url":  `curl "$(echo URL | sed s,//,//me:p%20w@,)/"`,
		"variable":            `curl -H "X-Token: ${TOKEN}" "URL/?t=$TOKEN"`,
		"key in the query":    `curl 'URL/?api_key=k%20y&n=1' -H 'X-Api-Key: secret'`,
		"file as it is":       `curl --data-binary @body.bin URL/b`,
		"put a file":          `curl -T body.bin URL/up/`,
		"binary text":         `curl --data-binary $'\x01\xff' URL/b`,
		"braces of ours":      `curl -g 'URL/?t={{x}}' -d '{{y}} ${z}' -H 'X-T: {{x}} ${y}'`,
		"method without body": `curl -X POST URL/p`,
		"redirected":          `curl -o /dev/null URL/r 2>&1 | cat`,
		"later ones count":    `curl -A one -A two -X PUT -X DELETE URL/`,
		"request target":      `curl --request-target '/else?x' URL/`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, next := witness(t)
			dir := t.TempDir()
			file := filepath.Join(dir, "body.bin")
			if err := os.WriteFile(file, []byte("\x00line\nend\xff"), 0o644); err != nil {
				t.Fatal(err)
			}
			line := strings.ReplaceAll(strings.ReplaceAll(line, "URL", url), "body.bin", file)
			shell(t, dir, line, []string{"TOKEN=from-env"})
			want := next()

			if name == "account in the url" { // what the shell made of it
				line = `curl "` + strings.Replace(url, "//", "//me:p%20w@", 1) + `/"`
			}
			made, err := convert.Convert(strings.NewReader(line), "", convert.Options{File: "line"})
			if err != nil {
				t.Fatal(err)
			}
			p, err := profiles.Parse("p.yaml", made.Profile, nil)
			if err != nil {
				t.Fatal(err)
			}
			set, err := request.Compile(request.Config{
				Requests: []profiles.Request{p.Request}, Origin: p.Target.URL, Now: time.Now, Read: func(name string, _ int64) ([]byte, error) { return os.ReadFile(name) },
				Env: func(name string) (string, bool) { v, ok := secrets[name]; return v, ok },
			})
			if err != nil {
				t.Fatalf("%v\n%s", err, made.Profile)
			}
			conn, err := net.Dial("tcp", set.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.Write(set.Sources().Request(transport.Ticket{}).Bytes); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, next()); diff != "" {
				t.Errorf("curl -, ours +\n%s\n%s", diff, made.Profile)
			}
			for _, secret := range []string{"abc.def", "p w", "sid=1", "k%20y", "=secret", ": secret"} {
				if bytes.Contains(made.Profile, []byte(secret)) {
					t.Errorf("%q stands in the profile:\n%s", secret, made.Profile)
				}
			}
		})
	}
}

// The product as a user has it: convert, set what it names, run.
func TestAConvertedLineRuns(t *testing.T) {
	t.Parallel()
	url, next := witness(t)
	line := fmt.Sprintf(`curl %s/go?a=b -H 'Authorization: Bearer s3cr3t' -d '{"a":1}'`, url)
	c := loadgen(t, "", "convert", "-", "--write", "made", "--rate", "10/s", "--duration", "100ms")
	c.Stdin = strings.NewReader(line)
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	if !strings.Contains(c.stderr.String(), "export BEARER_TOKEN=") || strings.Contains(c.stderr.String(), "s3cr3t") {
		t.Errorf("stderr: %s", c.stderr.String())
	}
	shell(t, c.Dir, line, nil)
	want := next()

	run := loadgen(t, "", "run", "made.yaml", "--json", "--quiet", "--no-preflight")
	run.Dir, run.Env = c.Dir, append(os.Environ(), "BEARER_TOKEN=s3cr3t")
	run.wantCode(t, run.code(t, run.Run()), exitOK, exitInvalid)
	reconcile(t, run.summary(t))
	if diff := cmp.Diff(want, next()); diff != "" {
		t.Errorf("curl -, ours +\n%s", diff)
	}

	again := loadgen(t, "", "convert", "-", "--write", "made")
	again.Dir, again.Stdin = c.Dir, strings.NewReader(line)
	again.wantCode(t, again.code(t, again.Run()), exitUsage)
	if !strings.Contains(again.stderr.String(), "is there already") {
		t.Errorf("stderr: %s", again.stderr.String())
	}
}

// Every flag that the installed curl has is known, and takes an argument when
// curl's does.
func TestFlagsOfTheInstalledCurl(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("curl", "--help", "all").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no curl here to ask")
	}
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for text := range strings.Lines(string(out)) {
		fields := strings.Fields(text)
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "-") {
			continue
		}
		name := fields[0]
		if strings.HasSuffix(name, ",") {
			fields = fields[1:]
			name = fields[0]
		}
		line := "curl http://h/ " + name
		if strings.HasPrefix(fields[1], "<") || strings.HasPrefix(fields[1], "[") {
			line += " http://argument/" // were it none, it would be a second host
			if name == "--url" {
				line = "curl --url http://argument/"
			}
		}
		asked++
		_, err := convert.Convert(strings.NewReader(line), "curl", convert.Options{File: "line"})
		if err != nil && (strings.Contains(err.Error(), "unknown flag") || strings.Contains(err.Error(), "needs an argument") || strings.Contains(err.Error(), "one target")) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if asked < 200 {
		t.Errorf("only %d flags in curl --help all", asked)
	}
}

func TestConvertTakesNoNonsense(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		in   string
		want string
	}{
		"no file":          {[]string{"convert", "nowhere.har"}, "", "nowhere.har"},
		"a folder":         {[]string{"convert", "."}, "", "is a folder"},
		"no argument":      {[]string{"convert"}, "", "see loadgen convert --help"},
		"empty":            {[]string{"convert", "-"}, "", "standard input: empty"},
		"who knows":        {[]string{"import", "-"}, "hello", "--from curl|har|vegeta|k6"},
		"unknown format":   {[]string{"convert", "-", "--from", "harr"}, "x", "did you mean har?"},
		"rate":             {[]string{"convert", "-", "--rate", "10"}, "curl http://h/", "--rate: 10: missing unit"},
		"all faults":       {[]string{"convert", "-"}, "curl http://h/ --fooo `x` 'open", "1:23: what the shell would run"},
		"all faults again": {[]string{"convert", "-"}, "curl http://h/ --fooo `x` 'open", "1:27: ' is not closed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := loadgen(t, "", c.args...)
			run.Stdin = strings.NewReader(c.in)
			run.wantCode(t, run.code(t, run.Run()), exitUsage)
			if !strings.Contains(run.stderr.String(), c.want) || run.stdout.Len() > 0 {
				t.Errorf("want %q\nstdout: %s\nstderr: %s", c.want, run.stdout.String(), run.stderr.String())
			}
		})
	}
}
