package profiles

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInventoryByHand(t *testing.T) {
	t.Parallel()
	inv, err := ParseInventory("lab.yaml", []byte(`
user: alice
nodes:
  - {name: a, host: a.example.org}
  - {name: b, host: '2001:db8::7', port: 2222, user: bob, address: 10.0.0.2, role: target, type: xl170}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Inventory{
		Name: "lab", User: "alice", Folder: "edgebench",
		Nodes: []InventoryNode{
			{Name: "a", Host: "a.example.org", Port: 22, Role: RoleBoth},
			{Name: "b", Host: "2001:db8::7", Port: 2222, User: "bob", Address: "10.0.0.2", Role: RoleTarget, Type: "xl170"},
		},
	}
	if diff := cmp.Diff(want, inv); diff != "" {
		t.Error(diff)
	}
	if a, b := inv.LoginOf(inv.Nodes[0]), inv.LoginOf(inv.Nodes[1]); a != "alice" || b != "bob" {
		t.Errorf("logins %s, %s", a, b)
	}
}

func TestInventoryIsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	inv := &Inventory{
		Name: "exp-1", Folder: "/local/edge", Keys: []string{"~/.ssh/id #2"}, Jump: "me@gate:2200",
		Nodes: []InventoryNode{{Name: "node-0", Host: "h", Port: 30010, User: "123", Address: "fd00::1", Role: RoleGenerator, Site: "utah.cloudlab.us", Type: "true"}},
	}
	got, err := ParseInventory("x.yaml", inv.YAML())
	if err != nil {
		t.Fatalf("%v\n%s", err, inv.YAML())
	}
	if diff := cmp.Diff(inv, got); diff != "" {
		t.Error(diff)
	}
}

func TestInventoryReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := ParseInventory("i.yaml", []byte("folder: ~/x\nnodes:\n  - {name: a, hots: h, port: 0, address: here, role: boss}\n  - {name: a b, host: h, user: u}\n  - {name: c, host: h, user: u}\n  - {name: c, host: h, user: u}\n"))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"i.yaml:1:9", "without ~", "missing key host", "did you mean host", "port: 0 is below 1", `"here" is not an IP address`, "boss", "node a has no user", "a b", "a second node c",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
	if _, err := ParseInventory("i.yaml", []byte("nodes: []\n")); err == nil || !strings.Contains(err.Error(), "no nodes") {
		t.Errorf("an inventory of nothing: %v", err)
	}
	if _, err := LoadInventory("nowhere.yaml"); err == nil || !strings.Contains(err.Error(), "cluster inventory makes one") {
		t.Errorf("a file that is not there: %v", err)
	}
}
