package cluster

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgebench/loadgen/cluster/rspec"
	"edgebench/profiles"
)

func manifest(t testing.TB, name string) []rspec.Node {
	t.Helper()
	data, err := os.ReadFile("rspec/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := rspec.Parse(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

func TestFromManifestOfALAN(t *testing.T) {
	t.Parallel()
	nodes := manifest(t, "lan.xml")
	inv, notes, err := FromManifest("night", nodes, "bob")
	if err != nil {
		t.Fatal(err)
	}
	want := &profiles.Inventory{Name: "night", User: "bob", Folder: "edgebench", Nodes: []profiles.InventoryNode{
		{Name: "gen-0", Host: "hp001.utah.cloudlab.us", Port: 22, Address: "10.10.1.1", Role: "generator", Site: "utah.cloudlab.us", Type: "xl170"},
		{Name: "gen-1", Host: "hp002.utah.cloudlab.us", Port: 22, Address: "10.10.1.2", Role: "generator", Site: "utah.cloudlab.us", Type: "xl170"},
		{Name: "target-0", Host: "hp003.utah.cloudlab.us", Port: 22, Address: "10.10.1.3", Role: "target", Site: "utah.cloudlab.us", Type: "xl170"},
	}}
	if diff := cmp.Diff(want, inv); diff != "" {
		t.Error(diff)
	}
	if len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	again, err := profiles.ParseInventory("i.yaml", inv.YAML())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(inv, again); diff != "" {
		t.Error(diff)
	}
}

func TestWhoLogsIn(t *testing.T) {
	t.Parallel()
	nodes := manifest(t, "lan.xml")
	_, _, err := FromManifest("n", nodes, "")
	if err == nil || !strings.Contains(err.Error(), "--user: alice (3 of 3 nodes), bob (3 of 3 nodes)") {
		t.Errorf("a choice: %v", err)
	}
	nodes[1].Logins = nodes[1].Logins[:1]
	_, _, err = FromManifest("n", nodes, "bob")
	if err == nil || !strings.Contains(err.Error(), "gen-1 has no login of bob") || !strings.Contains(err.Error(), "bob (2 of 3 nodes)") {
		t.Errorf("a node short of one: %v", err)
	}
	for i := range nodes {
		nodes[i].Logins = nil
	}
	if _, notes, err := FromManifest("n", nodes, ""); err == nil || !strings.Contains(err.Error(), "not ready yet") || len(notes) != 3 {
		t.Errorf("nobody can: %v, %q", err, notes)
	}
}

func TestFromOddManifests(t *testing.T) {
	t.Parallel()
	inv, notes, err := FromManifest("n", manifest(t, "sites.xml"), "")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := inv.Nodes[0], inv.Nodes[1]; a.Name != "node0.utah" || b.Name != "node0.clemson" || a.Address != "fd00:7::1" || b.Address != "fd00:7::2" || b.Host != "2001:db8::22" || len(notes) > 0 {
		t.Errorf("two sites: %+v, %q", inv.Nodes, notes)
	}
	inv, notes, err = FromManifest("n", manifest(t, "vms.xml"), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(inv.Nodes) != 3 || inv.Nodes[0].Port != 30010 || inv.Nodes[1].Port != 30011 || inv.Nodes[0].Role != "both" || inv.User != "carol" {
		t.Errorf("VMs: %+v", inv.Nodes)
	}
	text := strings.Join(notes, "\n")
	for _, want := range []string{"disk has no login", "(emulab-blockstore)", "watcher has no interface"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

// Whatever is called a manifest, an inventory made of it reads back.
func FuzzFromManifest(f *testing.F) {
	for _, name := range []string{"lan.xml", "sites.xml", "vms.xml"} {
		data, err := os.ReadFile("rspec/testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "alice")
	}
	f.Fuzz(func(t *testing.T, data []byte, user string) {
		nodes, err := rspec.Parse("fuzz", data)
		if err != nil {
			return
		}
		inv, _, err := FromManifest("fuzz", nodes, user)
		if err != nil {
			return
		}
		got, err := profiles.ParseInventory("fuzz.yaml", inv.YAML())
		if err != nil {
			if strings.Contains(err.Error(), "control character") || strings.Contains(err.Error(), "UTF-8") {
				return // said by the command, in the file's words
			}
			t.Fatalf("%v\n%s", err, inv.YAML())
		}
		if diff := cmp.Diff(inv, got); diff != "" {
			t.Error(diff)
		}
	})
}
