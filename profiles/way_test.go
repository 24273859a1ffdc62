package profiles

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const once = "phases: [{name: a, rate: 1/s, for: 1s}]\n"

func TestWay(t *testing.T) {
	t.Parallel()
	text := `target:
  url: https://me:hunter2@h:8443/x
  transport: client
  tls: {server_name: other, cert: c.pem, key: k.pem, insecure: true}
  proxy: http://me:hunter2@proxy:3128
  connect_to: "[::1]:9"
  name_server: 127.0.0.1:53
  dns_ttl: 30s
  family: 6
  connect_timeout: 2s
  keep_alive: false
` + once
	p, err := Parse("p.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Way{
		Transport: "client", TLS: TLS{ServerName: "other", Cert: "c.pem", Key: "k.pem", Insecure: true},
		Proxy: "http://me:hunter2@proxy:3128", ConnectTo: "[::1]:9", NameServer: "127.0.0.1:53",
		DNSTTL: 30 * time.Second, Family: 6, ConnectTimeout: 2 * time.Second, OneRequest: true,
	}
	if diff := cmp.Diff(want, p.Target.Way); diff != "" {
		t.Error(diff)
	}
	roundTrip(t, p)
	if shown := string(p.Redacted().YAML()); strings.Contains(shown, "hunter2") {
		t.Errorf("redacted:\n%s", shown)
	}
	for _, more := range []string{"{url: 'http://h', unix_socket: /run/x}", "{url: 'http://h', resolve: [10.0.0.1, '::1']}", "{url: 'https://h', tls: {ca: ca.pem}}", "{bundled: {}, transport: client}"} {
		p, err := Parse("p.yaml", []byte("target: "+more+"\n"+once), nil)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, p)
	}
}

func TestWayFaults(t *testing.T) {
	t.Parallel()
	for target, want := range map[string][]string{
		"{url: 'http://h', tls: {cert: a}}":                                            {"target.tls: the url is not https", "target.tls: cert and key go together"},
		"{url: 'https://h', tls: {insecure: true, ca: x}}":                             {"ca is not used"},
		"{url: 'https://h', transport: epoll}":                                         {"target.transport: epoll cannot do https"},
		"{url: 'http://h', transport: epoll, proxy: 'http://p:1'}":                     {"epoll cannot do proxy"},
		"{url: 'http://h', proxy: 'http://u:hunter2@p'}":                               {"target.proxy: want http://"},
		"{url: 'http://h', unix_socket: /x, connect_to: 'a:1'}":                        {"target.connect_to: goes with no unix_socket"},
		"{url: 'http://h', resolve: [h2]}":                                             {`"h2" is not an IP address`},
		"{url: 'http://h', resolve: '::1', family: 4}":                                 {"::1 is not of family 4"},
		"{url: 'http://h', resolve: '::1', proxy: 'http://p:1'}":                       {"the proxy looks names up itself"},
		"{url: 'http://h', connect_to: h, name_server: 'h:0', family: 5, dns_ttl: 0s}": {"target.connect_to: \"h\" is not host:port", "target.name_server: \"h:0\"", "target.family: unknown value", "target.dns_ttl: 0s must be above 0"},
		"{bundled: {}, proxy: 'http://p:1'}":                                           {"proxy goes with a url"},
	} {
		_, err := Parse("p.yaml", []byte("target: "+target+"\n"+once), nil)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %v, want %q", target, err, part)
			}
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v tells the secret", err)
		}
	}
}
