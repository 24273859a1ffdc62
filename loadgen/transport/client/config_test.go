package client

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFaultsOfAConfig(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := filepath.Join(folder, "text")
	if err := os.WriteFile(text, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Config){
		`address ""`:                          func(c *Config) { c.Address = "" },
		`address "127.0.0.1": missing port`:   func(c *Config) { c.Address = "127.0.0.1" },
		`address ":80": no host name`:         func(c *Config) { c.Address = ":80" },
		`address "h:0": port "0"`:             func(c *Config) { c.Address = "h:0" },
		`address "h:70000": port "70000"`:     func(c *Config) { c.Address = "h:70000" },
		`address "u@h:80"`:                    func(c *Config) { c.Address = "u@h:80" },
		"no requests":                         func(c *Config) { c.Sources = nil },
		"connect timeout -1s":                 func(c *Config) { c.ConnectTimeout = -time.Second },
		"header and -1 body bytes":            func(c *Config) { c.BodyLimit = -1 },
		`connect to "x"`:                      func(c *Config) { c.ConnectTo = "x" },
		`name server "9.9.9.9"`:               func(c *Config) { c.NameServer = "9.9.9.9" },
		"proxy: want http://":                 func(c *Config) { c.Proxy = "socks5://h:1080" },
		"proxy: want http:":                   func(c *Config) { c.Proxy = "http://h:1/path" },
		"goes with no proxy":                  func(c *Config) { c.Socket, c.Proxy = "/s", "http://h:1" },
		"longer than 107 bytes":               func(c *Config) { c.Socket = strings.Repeat("s", 108) },
		"the proxy looks names up itself":     func(c *Config) { c.Proxy, c.Resolve = "http://h:1", []netip.Addr{netip.IPv6Loopback()} },
		"resolve 127.0.0.1: no address of":    func(c *Config) { c.Family, c.Resolve = IPv6, []netip.Addr{netip.MustParseAddr("127.0.0.1")} },
		"family 7":                            func(c *Config) { c.Family = 7 },
		"dns ttl -1ns":                        func(c *Config) { c.DNSTTL = -1 },
		`certificate file "c" with key file `: func(c *Config) { c.TLS = &TLS{CertFile: "c"} },
		`ca file "c": not used`:               func(c *Config) { c.TLS = &TLS{CAFile: "c", Insecure: true} },
		"no server name":                      func(c *Config) { c.Address, c.Socket, c.TLS = "", "/s", &TLS{} },
		"no such file":                        func(c *Config) { c.TLS = &TLS{CAFile: filepath.Join(folder, "none")} },
		text + ": no certificate in it":       func(c *Config) { c.TLS = &TLS{CAFile: text} },
		"with key file " + text:               func(c *Config) { c.TLS = &TLS{CertFile: text, KeyFile: text} },
	} {
		c := to("127.0.0.1:80")
		change(&c)
		if _, err := Prepare(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := Prepare(t.Context(), to("127.0.0.1:80")); err != nil {
		t.Error(err)
	}
	all := Config{DNSTTL: -1, TLS: &TLS{CAFile: filepath.Join(folder, "none"), KeyFile: "k"}}
	_, err := Prepare(t.Context(), all)
	for _, want := range []string{`address ""`, "no requests", "connect timeout 0s", "dns ttl", "certificate file", "no such file"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the faults do not come together, %q is missing: %v", want, err)
		}
	}
}

// Wherever a proxy's URL is wrong, the password in it stays out of the text.
func TestProxyFaultsKeepThePassword(t *testing.T) {
	t.Parallel()
	for _, proxy := range []string{
		"https://user:secret@h:1", "http://user:secret@h", "http://user:sec\x01secret@h:1",
		"http://user:#secret@h:1", "http://user:secret%zz@h:1", "user:secret@h:1", "http://user:secret@h:port",
	} {
		c := to("127.0.0.1:80")
		c.Proxy = proxy
		if err := c.Validate(); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", proxy, err)
		}
	}
}
