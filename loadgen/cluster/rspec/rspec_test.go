package rspec

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t *testing.T, name string) []Node {
	t.Helper()
	nodes, err := Parse(name, fixture(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

func TestLAN(t *testing.T) {
	t.Parallel()
	nodes := parse(t, "lan.xml")
	if len(nodes) != 3 {
		t.Fatalf("%d nodes", len(nodes))
	}
	want := Node{
		Name: "gen-0", Site: "utah.cloudlab.us", Kind: "raw-pc", Hardware: "xl170",
		Logins:    []Login{{"alice", "hp001.utah.cloudlab.us", 22}, {"bob", "hp001.utah.cloudlab.us", 22}},
		Addresses: []netip.Prefix{netip.MustParsePrefix("192.168.7.1/24"), netip.MustParsePrefix("10.10.1.1/24")},
	}
	if diff := cmp.Diff(want, nodes[0], cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if nodes[1].Hardware != "xl170" {
		t.Errorf("hardware by vnode: %q", nodes[1].Hardware)
	}
}

func TestSeveralSitesAndFamilies(t *testing.T) {
	t.Parallel()
	nodes := parse(t, "sites.xml")
	if len(nodes) != 2 || nodes[0].Name != nodes[1].Name || nodes[0].Site == nodes[1].Site {
		t.Fatalf("%+v", nodes)
	}
	if nodes[1].Logins[0] != (Login{"alice", "2001:db8::22", 22}) {
		t.Errorf("a login without a port: %+v", nodes[1].Logins)
	}
	for _, n := range nodes {
		if n.Addresses[0].Masked() != netip.MustParsePrefix("fd00:7::/64") {
			t.Errorf("%s: %v", n.Site, n.Addresses)
		}
	}
}

func TestVirtualMachines(t *testing.T) {
	t.Parallel()
	nodes := parse(t, "vms.xml")
	if len(nodes) != 4 {
		t.Fatalf("%d nodes", len(nodes))
	}
	for i, port := range []int{30010, 30011, 22} {
		if len(nodes[i].Logins) != 1 || nodes[i].Logins[0].Port != port {
			t.Errorf("%s: %+v, want port %d", nodes[i].Name, nodes[i].Logins, port)
		}
	}
	if len(nodes[2].Addresses) != 0 || len(nodes[3].Logins) != 0 {
		t.Errorf("%+v", nodes[2:])
	}
}

func TestEveryFaultIsTold(t *testing.T) {
	t.Parallel()
	_, err := Parse("odd.xml", fixture(t, "odd.xml"))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`port "70000"`, `node "a" is there twice`, "node 3 has no client_id", `node "b": a login without hostname`,
		`"10.0.0.300" is not an IP address`, `netmask "255.0.255.0" of 10.0.0.3`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, "odd.xml: ") {
			t.Errorf("not said of which file: %q", line)
		}
	}
}

func TestWhatIsNoManifest(t *testing.T) {
	t.Parallel()
	lan := string(fixture(t, "lan.xml"))
	for name, c := range map[string]struct{ text, want string }{
		"a request":    {strings.Replace(lan, `type="manifest"`, `type="request"`, 1), "what was asked for"},
		"a page":       {"<html><body>Sign in</body></html>", "<html> is not a manifest"},
		"truncated":    {lan[:len(lan)/2], "it ends in the middle"},
		"nothing":      {"", "no <rspec>"},
		"other text":   {"nodes:\n  - name: a\n", "no <rspec>"},
		"broken XML":   {"<rspec type='manifest'><node client_id=x/></rspec>", "line 1: "},
		"not UTF-8":    {`<?xml version="1.0" encoding="EBCDIC"?><rspec/>`, "line 1: "},
		"cut in a tag": {lan[:strings.Index(lan, "hostname")+4], "it ends in the middle"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes, err := Parse("m.xml", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "m.xml: ") {
				t.Errorf("%d nodes, %v; want %q", len(nodes), err, c.want)
			}
		})
	}
}

// Whatever the text, a node that is accepted can be used.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"lan.xml", "sites.xml", "vms.xml", "odd.xml"} {
		f.Add(fixture(f, name))
	}
	f.Add([]byte("<rspec type='manifest'><node client_id='a'><interface><ip address='::ffff:1.2.3.4' netmask='0'/></interface></node></rspec>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := Parse("fuzz", data)
		for _, n := range nodes {
			if n.Name == "" {
				t.Errorf("a node without a name, %v", err)
			}
			for _, l := range n.Logins {
				if l.User == "" || l.Host == "" || l.Port < 1 || l.Port > 65535 {
					t.Errorf("%+v", l)
				}
			}
			for _, a := range n.Addresses {
				if !a.IsValid() {
					t.Errorf("%s: %v", n.Name, a)
				}
			}
		}
	})
}
