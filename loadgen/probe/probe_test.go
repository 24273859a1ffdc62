package probe

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"edgebench/loadgen/request"
	"edgebench/profiles"
)

// probing is a probe of a server with a few requests.
func probing(t *testing.T, address string, sets ...profiles.Set) Config {
	t.Helper()
	p, err := profiles.OneLiner(address, "1/s", "1s", sets)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	set, err := request.Compile(request.Config{Requests: p.Requests(s), Origin: p.Target.URL, Env: os.LookupEnv, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Profile: p, Requests: set, Warm: 6, Idle: []time.Duration{time.Millisecond, 2 * time.Millisecond},
		Dial: func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", u.Host) },
	}
}

func run(t *testing.T, c Config) *Report {
	t.Helper()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Answers) != c.Sends() {
		t.Errorf("%d answers, announced %d", len(r.Answers), c.Sends())
	}
	if r.Failed == len(r.Answers) {
		if r.Profile != "" {
			t.Errorf("a profile of nothing:\n%s", r.Profile)
		}
		return r
	}
	p, err := profiles.Parse("probed.yaml", []byte(r.Profile), nil)
	if err != nil {
		t.Fatalf("the profile does not read back: %v\n%s", err, r.Profile)
	}
	if p.Target.URL != c.Profile.Redacted().Target.URL {
		t.Errorf("url %q", p.Target.URL)
	}
	return r
}

// Every third answer comes from a new instance. Whichever way it says so, the
// probe finds the way, and prefers a mark.
func TestSigns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write func(w http.ResponseWriter, n int64)
		want  Sign
	}{
		"header": {func(w http.ResponseWriter, n int64) {
			w.Header().Set("X-Coldstart", fmt.Sprint(n%3 == 0))
			w.Header().Set("X-Instance", fmt.Sprint(n/3))
		}, Sign{Header: "X-Coldstart", ColdAnswers: 4}},
		"json": {func(w http.ResponseWriter, n int64) {
			fmt.Fprintf(w, `{"request":"r%d","meta":{"isCold":%t}}`, n, n%3 == 0)
		}, Sign{JSON: "meta.isCold", ColdAnswers: 4}},
		"instance": {func(w http.ResponseWriter, n int64) {
			w.Header().Set("X-Request-Instance", fmt.Sprint("r", n)) // an id of the request
			w.Header().Set("X-Worker-Id", fmt.Sprint("w", n/3))
		}, Sign{InstanceHeader: "X-Worker-Id", ColdAnswers: 4}},
		"instance in the body": {func(w http.ResponseWriter, n int64) {
			fmt.Fprintf(w, `{"pid":%d}`, 100+n/3)
		}, Sign{InstanceJSON: "pid", ColdAnswers: 4}},
		"none": {func(w http.ResponseWriter, n int64) {
			w.Header().Set("X-Cold-Brew", "always")
			fmt.Fprint(w, "hello")
		}, Sign{}},
	} {
		var served atomic.Int64
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { c.write(w, served.Add(1)-1) }))
		r := run(t, probing(t, s.URL+"/fn"))
		s.Close()
		if r.Cold != c.want {
			t.Errorf("%s: %+v, want %+v", name, r.Cold, c.want)
		}
		if n := served.Load(); n != 10 {
			t.Errorf("%s: %d requests served", name, n)
		}
		if auto := strings.Contains(r.Profile, "auto: true"); auto == c.want.Found() {
			t.Errorf("%s: split by time alone: %v\n%s", name, auto, r.Profile)
		}
	}
}

func TestWhatIsSpoken(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Server", "evil\u0085\u202eserver")
	})
	secure := httptest.NewUnstartedServer(handler)
	secure.EnableHTTP2 = true
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	c := probing(t, secure.URL)
	config := secure.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com" // as in its certificate
	c.TLS = &Handshake{config}
	r := run(t, c)
	if r.TLSVersion != "TLS 1.3" || !r.HTTP2 || !r.KeepAlive || r.Protocol != "HTTP/1.1" || r.HandshakeNS <= 0 {
		t.Errorf("%+v", r)
	}
	if strings.ContainsAny(r.Server, "\u0085\u202e") || !strings.HasPrefix(r.Server, "evil") {
		t.Errorf("server %q", r.Server)
	}
	closing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") }))
	defer closing.Close()
	if r := run(t, probing(t, closing.URL)); r.KeepAlive || r.Failed > 0 || r.HTTP2 {
		t.Errorf("%+v", r)
	}
	idle := httptest.NewUnstartedServer(handler)
	idle.Config.IdleTimeout = 20 * time.Millisecond
	idle.Start()
	defer idle.Close()
	c = probing(t, idle.URL)
	c.Idle = []time.Duration{0, time.Second}
	if r := run(t, c); r.IdleClosedNS == nil || *r.IdleClosedNS != int64(time.Second) {
		t.Errorf("closed within %v", r.IdleClosedNS)
	}
}

// What fails is counted and told, and proposes nothing.
func TestFailures(t *testing.T) {
	t.Parallel()
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	r := run(t, probing(t, missing.URL))
	if r.Failed != 10 || r.Warm != nil || r.FirstNS != nil || r.Propose.ThresholdNS != nil || r.Propose.RateRPS != 0 {
		t.Errorf("%+v", r)
	}
	var n atomic.Int64
	hangup := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1)%2 == 0 {
			panic(http.ErrAbortHandler)
		}
	}))
	defer hangup.Close()
	if r := run(t, probing(t, hangup.URL)); r.Failed != 5 || !r.KeepAlive || n.Load() != 10 {
		t.Errorf("failed %d, served %d: a lost request is not sent again", r.Failed, n.Load())
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	c := probing(t, silent.URL, profiles.Set{Key: "request.timeout", Value: "20ms"})
	if r := run(t, c); r.Failed != 10 || !strings.Contains(r.Answers[0].Error, "timeout") {
		t.Errorf("%+v", r.Answers[0])
	}
	ctx, cancel := context.WithCancel(t.Context())
	c = probing(t, missing.URL)
	c.Idle = []time.Duration{time.Hour}
	c.Notice = func(text string) {
		if strings.HasPrefix(text, "idle") {
			cancel()
		}
	}
	if _, err := Run(ctx, c); err != context.Canceled {
		t.Errorf("cancelled while idling: %v", err)
	}
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer s.Close()
	c := probing(t, strings.Replace(s.URL, "//", "//me:hunter2@", 1))
	r, err := Run(t.Context(), c)
	if err != nil || r.Failed > 0 {
		t.Fatalf("%v, %d failed", err, r.Failed)
	}
	if strings.Contains(r.Profile+r.URL, "hunter2") || !strings.Contains(r.Profile, "Credentials are left out") {
		t.Errorf("%s\n%s", r.URL, r.Profile)
	}
}
