package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"edgebench/loadgen/batch"
	"edgebench/profiles"
)

// posts are what workers on the nodes of an inventory are told of their part, by
// node. Where every trial is made by one worker alone, each node but the
// coordinator's has one, whatever else its role.
func posts(inv *profiles.Inventory, together bool) (map[string][]string, error) {
	posts := map[string][]string{}
	var faults []error
	for _, n := range inv.Nodes {
		switch {
		case n.Role == profiles.RoleCoordinator:
		case !together:
			posts[n.Name] = nil
		case n.Role == profiles.RoleGenerator:
			posts[n.Name] = []string{"--role", batch.RoleGenerator}
		case n.Role == profiles.RoleTarget && n.Address == "":
			faults = append(faults, fmt.Errorf("%s has no address where generators could reach its node: write it to the inventory", n.Name))
		case n.Role == profiles.RoleTarget:
			posts[n.Name] = []string{"--role", batch.RoleTarget, "--address", n.Address}
		} // what is for both makes trials alone, and is not wanted here
	}
	return posts, errors.Join(faults...)
}

// enough reports what an inventory lacks for the trials of a plan that several
// workers make together.
func enough(inv *profiles.Inventory, p *batch.Plan) error {
	var generators int
	var targets []string
	for _, n := range inv.Nodes {
		switch n.Role {
		case profiles.RoleGenerator:
			generators++
		case profiles.RoleTarget:
			targets = append(targets, n.Name)
		}
	}
	var lacks []string
	if want := p.Batch.Generators; generators < want {
		lacks = append(lacks, fmt.Sprintf("%d nodes with role: generator (there are %d)", want, generators))
	}
	switch named := p.Batch.Target; {
	case !p.Bundled():
	case len(targets) == 0:
		lacks = append(lacks, "a node with role: target")
	case named != "" && !slices.Contains(targets, named):
		lacks = append(lacks, fmt.Sprintf("role: target for node %s (of that role: %s)", named, strings.Join(targets, ", ")))
	}
	if len(lacks) > 0 {
		return fmt.Errorf("the trials of batch %s are made by several nodes together: the inventory wants %s", p.Name, strings.Join(lacks, " and "))
	}
	return nil
}
