package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport/transporttest"
)

// answer answers every request on a connection.
func answer(c *transporttest.Conn) {
	for c.Request() {
		c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	}
}

// twenty is a profile of a target's text, 20 requests.
func twenty(target string) string {
	return "name: twenty\ntarget: " + target + "\nphases: [{name: load, rate: 100/s, for: 200ms}]\n"
}

// ran is the manifest of the only run of a command.
func (c *command) ran(t *testing.T) *rundir.Manifest {
	t.Helper()
	dirs, _ := filepath.Glob(filepath.Join(c.Dir, "runs", "*"))
	if len(dirs) != 1 {
		t.Fatalf("run directories %v, want one\nstderr: %s", dirs, c.stderr.String())
	}
	m, err := rundir.ReadManifest(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// listen is a medium of one network and address.
func listen(network, address string, secure *tls.Config) transporttest.Medium {
	return transporttest.Medium{TLS: secure, Listen: func(t testing.TB) net.Listener {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Skip(err)
		}
		return l
	}}
}

// Every way to a target, by the program as users run it.
func TestWaysToATarget(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	_, cert, key := a.Sign("us", time.Now().Add(time.Hour))
	version := func(v uint16) *tls.Config {
		c := a.Server("127.0.0.1", "name.test")
		c.MinVersion, c.MaxVersion = v, v
		return c
	}
	mutual := a.Server("127.0.0.1")
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, a.Pool()
	ours := fmt.Sprintf("{ca: %s, cert: %s, key: %s}", a.File, cert, key)
	tcp := func(secure *tls.Config) transporttest.Medium { return listen("tcp", "127.0.0.1:0", secure) }
	for name, c := range map[string]struct {
		medium transporttest.Medium
		target string // ADDR, HOST and PORT stand for the server's
		limits map[string]string
	}{
		"tcp":         {tcp(nil), "{url: 'http://ADDR'}", map[string]string{"transport": "epoll", "transport_reason": "plain HTTP", "address": "ADDR"}},
		"forced":      {tcp(nil), "{url: 'http://ADDR', transport: client}", map[string]string{"transport": "client", "transport_reason": "asked for", "addresses": "[map[address:ADDR connects:"}},
		"tls 1.3":     {tcp(version(tls.VersionTLS13)), "{url: 'https://ADDR', tls: {ca: " + a.File + "}}", map[string]string{"transport": "client", "transport_reason": "https", "tls": "TLS 1.3"}},
		"tls 1.2":     {tcp(version(tls.VersionTLS12)), "{url: 'https://ADDR', tls: {ca: " + a.File + "}}", map[string]string{"tls": "version:TLS 1.2"}},
		"insecure":    {tcp(version(tls.VersionTLS13)), "{url: 'https://ADDR', tls: {insecure: true}}", map[string]string{"tls": "cipher:TLS_"}},
		"server name": {tcp(version(tls.VersionTLS13)), "{url: 'https://ADDR', tls: {ca: " + a.File + ", server_name: name.test}}", nil},
		"connect to":  {tcp(version(tls.VersionTLS13)), "{url: 'https://name.test', connect_to: 'ADDR', tls: {ca: " + a.File + "}}", map[string]string{"address": "name.test:443 at ADDR"}},
		"resolve":     {tcp(nil), "{url: 'http://name.test:PORT', resolve: 127.0.0.1}", map[string]string{"transport_reason": "target.resolve", "addresses": "ADDR"}},
		"mutual tls":  {tcp(mutual), "{url: 'https://ADDR', tls: " + ours + "}", nil},
		"ipv6":        {listen("tcp", "[::1]:0", nil), "{url: 'http://ADDR'}", map[string]string{"transport": "epoll"}},
		"ipv6 zone":   {listen("tcp", "[::1]:0", nil), "{url: 'http://[::1%25lo]:PORT'}", map[string]string{"transport": "epoll"}},
		"family":      {listen("tcp", "[::1]:0", nil), "{url: 'http://ADDR', family: 6}", map[string]string{"transport_reason": "target.family"}},
		"unix socket": {listen("unix", "@"+filepath.Base(t.TempDir())+"-loadgen-ways", nil), "{url: 'http://any', unix_socket: 'ADDR'}", map[string]string{"address": "unix:ADDR"}},
		"one request": {tcp(nil), "{url: 'http://ADDR', keep_alive: false}", map[string]string{"transport_reason": "target.keep_alive"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := transporttest.ServeOver(t, c.medium, answer)
			address := server.Address()
			_, port, _ := net.SplitHostPort(address)
			fill := strings.NewReplacer("ADDR", address, "PORT", port).Replace
			run := loadgen(t, twenty(fill(c.target)), "run", "p.yaml", "--json", "--no-preflight")
			run.wantCode(t, run.code(t, run.Run()), exitOK, exitInvalid)
			s := run.summary(t)
			reconcile(t, s)
			if s.Counts.OK != 20 || server.Requests() != 20 {
				t.Errorf("%+v; %d requests on the wire, want 20", s.Counts, server.Requests())
			}
			if name == "one request" && server.Connections() < 20 {
				t.Errorf("%d connections for 20 requests", server.Connections())
			}
			limits := run.ran(t).Limits
			for key, want := range c.limits {
				if got := fmt.Sprint(limits[key]); !strings.Contains(got, fill(want)) {
					t.Errorf("limits.%s is %s, want %q in it", key, got, fill(want))
				}
			}
		})
	}
}

// The one-liner reaches an https target, and one whose certificate nobody
// vouches for is unreachable, with the reason.
func TestOneLinerOverTLS(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	server := transporttest.ServeOver(t, listen("tcp", "127.0.0.1:0", a.Server("127.0.0.1")), answer)
	args := []string{"run", "--url", "https://me:hunter2@" + server.Address() + "/x", "--rate", "100/s", "--duration", "200ms", "--json"}
	c := loadgen(t, "", args...)
	c.wantCode(t, c.code(t, c.Run()), exitUnreachable)
	if text := c.stderr.String(); !strings.Contains(text, "certificate signed by unknown authority") || strings.Contains(text, "hunter2") {
		t.Errorf("stderr: %s", text)
	}
	c = loadgen(t, "", append(args, "--set", "target.tls.ca="+a.File)...)
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	if s := c.summary(t); s.Counts.OK != 20 {
		t.Errorf("%+v", s.Counts)
	}
	assertNowhere(t, filepath.Join(c.Dir, "runs"), "hunter2")
	c = loadgen(t, "", append(args, "--set", "target.tls.ca=nowhere.pem")...)
	c.wantCode(t, c.code(t, c.Run()), exitUsage)
	if text := c.stderr.String(); !strings.Contains(text, "nowhere.pem") {
		t.Errorf("stderr: %s", text)
	}
}

// A proxy is asked for a tunnel, with its password, which is told to nobody else.
func TestProxyWithAPassword(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, answer)
	asked := make(chan string, 100)
	proxy := transporttest.Serve(t, func(c *transporttest.Conn) {
		request, err := http.ReadRequest(c.Reader())
		if err != nil {
			return
		}
		asked <- request.Method + " " + request.Host + " " + request.Header.Get("Proxy-Authorization")
		target, err := net.Dial("tcp", request.Host)
		if err != nil {
			c.Send("HTTP/1.1 502 Bad Gateway\r\n\r\n")
			return
		}
		c.Send("HTTP/1.1 200 Connection established\r\n\r\n")
		c.Join(target)
	})
	run := loadgen(t, twenty("{url: 'http://"+server.Address()+"'}"), "run", "p.yaml", "--json",
		"--set", "target.proxy=http://me:hunter2@"+proxy.Address())
	run.wantCode(t, run.code(t, run.Run()), exitOK, exitInvalid)
	if s := run.summary(t); s.Counts.OK != 20 || server.Requests() != 20 {
		t.Errorf("%+v, %d requests on the wire", s.Counts, server.Requests())
	}
	if got, want := <-asked, "CONNECT "+server.Address()+" Basic bWU6aHVudGVyMg=="; got != want {
		t.Errorf("the proxy was asked %q, want %q", got, want)
	}
	assertNowhere(t, filepath.Join(run.Dir, "runs"), "hunter2")
}
