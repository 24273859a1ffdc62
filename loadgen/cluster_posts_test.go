package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgebench/loadgen/batch"
	"edgebench/profiles"
)

func TestPostsOfAnInventory(t *testing.T) {
	t.Parallel()
	inv := &profiles.Inventory{Nodes: []profiles.InventoryNode{
		{Name: "c", Role: profiles.RoleCoordinator, Address: "10.0.0.9"},
		{Name: "g", Role: profiles.RoleGenerator},
		{Name: "t", Role: profiles.RoleTarget, Address: "10.0.0.2"},
		{Name: "b", Role: profiles.RoleBoth},
	}}
	alone, err := posts(inv, false)
	if diff := cmp.Diff(map[string][]string{"g": nil, "t": nil, "b": nil}, alone); diff != "" || err != nil {
		t.Errorf("alone: %v\n%s", err, diff)
	}
	together, err := posts(inv, true)
	want := map[string][]string{"g": {"--role", "generator"}, "t": {"--role", "target", "--address", "10.0.0.2"}}
	if diff := cmp.Diff(want, together); diff != "" || err != nil {
		t.Errorf("together: %v\n%s", err, diff)
	}
	inv.Nodes[2].Address = ""
	if _, err := posts(inv, true); err == nil || !strings.Contains(err.Error(), "t has no address") {
		t.Errorf("a target that nobody can reach: %v", err)
	}
}

// Everything that an inventory lacks for a batch is told before anything is begun.
func TestEnoughNodesForABatch(t *testing.T) {
	t.Parallel()
	plan := func(text string) *batch.Plan {
		b, err := profiles.ParseBatch("night.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := batch.NewPlan(b, version, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	const bundled = "profiles: [bursty-ramp-quick]\ngenerators: 2\n"
	url := strings.Replace(bundled, "quick]", "quick]\nsets: ['target.url=http://10.0.0.7/']", 1)
	g, both := profiles.RoleGenerator, profiles.RoleBoth
	for name, c := range map[string]struct {
		text  string
		roles []string // of nodes n0, n1, …
		want  string   // in the error; "" for none
	}{
		"enough":              {bundled, []string{g, g, profiles.RoleTarget}, ""},
		"a spare":             {bundled + "target: n3\n", []string{g, g, g, profiles.RoleTarget}, ""},
		"none of the roles":   {bundled, []string{both, both, both}, "2 nodes with role: generator (there are 0) and a node with role: target"},
		"another target":      {bundled + "target: n0\n", []string{g, g, profiles.RoleTarget}, "role: target for node n0 (of that role: n2)"},
		"a target of its own": {url, []string{g, g}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inv := &profiles.Inventory{}
			for i, role := range c.roles {
				inv.Nodes = append(inv.Nodes, profiles.InventoryNode{Name: "n" + string(rune('0'+i)), Role: role})
			}
			err := enough(inv, plan(c.text))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
