package node

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestARequestAsksForItsServiceTime(t *testing.T) {
	t.Parallel()
	r := boot(t, small())
	ask := func(service string) *http.Response {
		req, err := http.NewRequest("GET", "http://"+r.node.Addr()+"/invoke", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Service", service)
		res, err := r.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != 200 && !strings.Contains(string(body), "want a duration from 0s to 1h0m0s") {
			t.Errorf("%q: %s", service, body)
		}
		return res
	}
	for _, service := range []string{"0s", "30ms"} {
		res := ask(service)
		want, _ := time.ParseDuration(service)
		ns, err := strconv.ParseInt(res.Header.Get("X-Service-Ns"), 10, 64)
		if res.StatusCode != 200 || err != nil || time.Duration(ns) < want {
			t.Errorf("%q: status %d, %d ns, %v", service, res.StatusCode, ns, err)
		}
	}
	for _, service := range []string{"", "30", "-1ms", "2h", "1e9s", strings.Repeat("9", 100)} {
		if res := ask(service); res.StatusCode != 400 {
			t.Errorf("%q: status %d", service, res.StatusCode)
		}
	}
}
