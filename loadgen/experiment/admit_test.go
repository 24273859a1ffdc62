package experiment

import (
	"testing"

	"edgebench/profiles"
)

func TestWhichTargetsAreThisMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url  string
		way  profiles.Way
		want bool
	}{
		{"http://127.0.0.1:8080", profiles.Way{}, true},
		{"http://127.8.0.1", profiles.Way{}, true},
		{"http://[::1]:8080", profiles.Way{}, true},
		{"http://localhost:8080", profiles.Way{}, true},
		{"http://192.0.2.1", profiles.Way{}, false},
		{"http://[2001:db8::1]", profiles.Way{}, false},
		{"http://nobody.invalid", profiles.Way{}, false},
		{"https://example.com", profiles.Way{UnixSocket: "/tmp/x"}, true},
		{"https://example.com", profiles.Way{ConnectTo: "127.0.0.1:8443"}, true},
		{"https://example.com", profiles.Way{Resolve: []string{"127.0.0.1"}}, true},
		{"http://127.0.0.1", profiles.Way{ConnectTo: "192.0.2.1:80"}, false},
		{"http://127.0.0.1", profiles.Way{Proxy: "http://127.0.0.1:3128"}, false},
	} {
		p := &profiles.Profile{Target: profiles.Target{URL: c.url, Way: c.way}}
		if got := isLocal(t.Context(), p); got != c.want {
			t.Errorf("%s %+v: local %v", c.url, c.way, got)
		}
	}
	if !isLocal(t.Context(), &profiles.Profile{Target: profiles.Target{Bundled: &profiles.Bundled{}}}) {
		t.Error("a node of ours is elsewhere")
	}
}
