package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"edgebench/loadgen/cluster/remote"
	"edgebench/profiles"
)

// A Cluster is the machines of an inventory and the way to log in there.
type Cluster struct {
	Inventory *profiles.Inventory
	Dialer    *remote.Dialer
	Timeout   time.Duration           // for all that one action does on one node; 0 for none
	Tell      func(node, text string) // progress, from several goroutines; nil for nobody
}

// A Session is one node, logged in to.
type Session struct {
	Node   profiles.InventoryNode
	Host   *remote.Host
	Folder string // on the node, as the inventory says
	tell   func(text string)
}

func (s *Session) run(ctx context.Context, name, text string, args ...string) (map[string][]string, error) {
	out, err := s.Host.Run(ctx, script(name, text), append([]string{s.Folder}, args...)...)
	return said(out), err
}

// An Outcome is what an action came to on one node.
type Outcome struct {
	Node string `json:"node"`
	Did  string `json:"did,omitempty"`
	Err  error  `json:"-"`
	Text string `json:"error,omitempty"` // of Err
}

// Each logs in on all nodes named at once (none named: on all there are) and acts.
// A node that fails stops no other one. The outcomes are in the inventory's order.
func (c *Cluster) Each(ctx context.Context, nodes []string, act func(context.Context, *Session) (did string, err error)) []Outcome {
	var chosen []profiles.InventoryNode
	for _, n := range c.Inventory.Nodes {
		if len(nodes) == 0 || slices.Contains(nodes, n.Name) {
			chosen = append(chosen, n)
		}
	}
	outcomes := make([]Outcome, len(chosen))
	var wg sync.WaitGroup
	for i, n := range chosen {
		wg.Go(func() {
			did, err := c.on(ctx, n, act)
			outcomes[i] = Outcome{Node: n.Name, Did: did, Err: err}
			if err != nil {
				outcomes[i].Text = err.Error()
				did = "failed"
			}
			c.tell(n.Name, did)
		})
	}
	wg.Wait()
	return outcomes
}

func (c *Cluster) on(ctx context.Context, n profiles.InventoryNode, act func(context.Context, *Session) (string, error)) (string, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("not done within %v", c.Timeout))
		defer cancel()
	}
	c.tell(n.Name, "logging in")
	host, err := c.Dialer.Dial(ctx, remote.Address{User: c.Inventory.LoginOf(n), Host: n.Host, Port: n.Port})
	if err != nil {
		return "", err
	}
	defer host.Close()
	return act(ctx, &Session{Node: n, Host: host, Folder: c.Inventory.Folder, tell: func(text string) { c.tell(n.Name, text) }})
}

func (c *Cluster) tell(node, text string) {
	if c.Tell != nil {
		c.Tell(node, text)
	}
}

// Unknown names those of nodes that the inventory does not have, as an error.
func Unknown(inv *profiles.Inventory, nodes []string) error {
	var have []string
	for _, n := range inv.Nodes {
		have = append(have, n.Name)
	}
	var bad []string
	for _, name := range nodes {
		if !slices.Contains(have, name) {
			bad = append(bad, name)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("no node %s in the inventory, which has %s", strings.Join(bad, ", "), strings.Join(have, ", "))
}
