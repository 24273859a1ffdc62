// Package cluster works on many machines at once over ssh: it names them (an
// inventory, from CloudLab's manifests or written by hand), brings the programs
// there, starts and stops them, and fetches what they wrote. Every action may be
// repeated: what is done already is left alone. It knows nothing of what the
// programs do; it starts a command line and tells what came of it, node by node.
package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"edgebench/loadgen/cluster/rspec"
	"edgebench/profiles"
)

// FromManifest makes an inventory of the nodes of an experiment's manifests. user
// picks among several logins of a node; it may be empty where there is one only.
// Notes are what the reader should know: nodes left out, addresses that are not of
// the network the others share.
func FromManifest(name string, nodes []rspec.Node, user string) (inv *profiles.Inventory, notes []string, err error) {
	usable := slices.DeleteFunc(slices.Clone(nodes), func(n rspec.Node) bool { return len(n.Logins) == 0 })
	for _, n := range nodes {
		if len(n.Logins) == 0 {
			notes = append(notes, fmt.Sprintf("%s has no login and is left out%s", n.Name, kindOf(n)))
		}
	}
	if len(usable) == 0 {
		return nil, notes, fmt.Errorf("no node has a login: either the experiment is not ready yet, or the manifest was taken without logging in")
	}
	if user, err = chooseUser(usable, user); err != nil {
		return nil, notes, err
	}
	inv = &profiles.Inventory{Name: name, User: user, Folder: profiles.DefaultNodeFolder}
	lan := sharedNetwork(usable)
	names := uniqueNames(usable)
	for i, n := range usable {
		login := n.Logins[slices.IndexFunc(n.Logins, func(l rspec.Login) bool { return l.User == user })]
		node := profiles.InventoryNode{
			Name: names[i], Host: login.Host, Port: login.Port,
			Role: roleOf(n.Name), Site: n.Site, Type: n.Hardware,
		}
		at := slices.IndexFunc(n.Addresses, func(a netip.Prefix) bool { return a.Masked() == lan })
		switch {
		case at >= 0:
			node.Address = n.Addresses[at].Addr().String()
		case len(n.Addresses) > 0:
			node.Address = n.Addresses[0].Addr().String()
			notes = append(notes, fmt.Sprintf("%s is not on %s, which most nodes share: its address is %s", names[i], lan, node.Address))
		default:
			notes = append(notes, fmt.Sprintf("%s has no interface on the experiment's network: load to or from it would use the control network", names[i]))
		}
		inv.Nodes = append(inv.Nodes, node)
	}
	return inv, notes, nil
}

func kindOf(n rspec.Node) string {
	if n.Kind == "" {
		return ""
	}
	return " (" + n.Kind + ")"
}

// chooseUser is who can log in on every node: who was asked for, or the only one.
func chooseUser(nodes []rspec.Node, asked string) (string, error) {
	logins := map[string]int{}
	for _, n := range nodes {
		users := map[string]bool{}
		for _, l := range n.Logins {
			users[l.User] = true
		}
		for u := range users {
			logins[u]++
		}
	}
	var choice []string
	for u, n := range logins {
		choice = append(choice, fmt.Sprintf("%s (%d of %d nodes)", u, n, len(nodes)))
	}
	slices.Sort(choice)
	list := strings.Join(choice, ", ")
	if asked == "" {
		if len(logins) > 1 {
			return "", fmt.Errorf("several people can log in, choose one by --user: %s", list)
		}
		asked = nodes[0].Logins[0].User
	}
	var faults []error
	for _, n := range nodes {
		if !slices.ContainsFunc(n.Logins, func(l rspec.Login) bool { return l.User == asked }) {
			faults = append(faults, fmt.Errorf("%s has no login of %s", n.Name, asked))
		}
	}
	if len(faults) > 0 {
		return "", fmt.Errorf("%w\nlogins there are: %s", errors.Join(faults...), list)
	}
	return asked, nil
}

// sharedNetwork is the network that most nodes have an address in; of equal ones
// IPv4, then the first in the manifest. The zero value means none.
func sharedNetwork(nodes []rspec.Node) netip.Prefix {
	var order []netip.Prefix
	members := map[netip.Prefix]int{}
	for _, n := range nodes {
		seen := map[netip.Prefix]bool{}
		for _, a := range n.Addresses {
			network := a.Masked()
			if seen[network] {
				continue
			}
			seen[network] = true
			if members[network]++; members[network] == 1 {
				order = append(order, network)
			}
		}
	}
	if len(order) == 0 {
		return netip.Prefix{}
	}
	slices.SortStableFunc(order, func(a, b netip.Prefix) int {
		return cmp.Or(cmp.Compare(members[b], members[a]), cmp.Compare(a.Addr().BitLen(), b.Addr().BitLen()))
	})
	return order[0]
}

// uniqueNames are the nodes' own, with the site where a name is there twice, and
// with a number where that does not tell them apart. They become names of folders.
func uniqueNames(nodes []rspec.Node) []string {
	count := map[string]int{}
	for _, n := range nodes {
		count[plainName(n.Name)]++
	}
	taken := map[string]bool{}
	names := make([]string, len(nodes))
	for i, n := range nodes {
		name := plainName(n.Name)
		if count[name] > 1 && n.Site != "" {
			site, _, _ := strings.Cut(n.Site, ".")
			name = plainName(name + "." + site)
		}
		for k, base := 2, name; taken[name]; k++ {
			name = fmt.Sprintf("%.60s-%d", base, k)
		}
		taken[name] = true
		names[i] = name
	}
	return names
}

// plainName keeps what an inventory allows in a name.
func plainName(text string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, text)
	name = strings.TrimLeft(name, "._-")
	if name == "" {
		name = "node"
	}
	return name[:min(len(name), 64)]
}

// roleOf goes by the name, as the profile in deploy/cloudlab gives them. What says
// nothing can do both.
func roleOf(name string) string {
	for _, r := range []struct{ prefix, role string }{
		{"gen", profiles.RoleGenerator}, {"target", profiles.RoleTarget}, {"coord", profiles.RoleCoordinator},
	} {
		if strings.HasPrefix(strings.ToLower(name), r.prefix) {
			return r.role
		}
	}
	return profiles.RoleBoth
}
