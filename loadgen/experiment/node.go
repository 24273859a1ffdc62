package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"edgebench/monitor"
	"edgebench/profiles"
	"edgebench/target/fleet"
)

// options are the settings of the node a profile describes.
func options(b *profiles.Bundled, seed uint64) fleet.Options {
	o := fleet.Defaults()
	o.Policy, o.Params, o.Workers = b.Policy.Name, b.Policy.Params, b.Workers
	o.Runtime, o.Work, o.Service, o.ServiceLaw = b.Worker, b.Work, b.Service.Mean, b.Service.Law
	o.Miss, o.MissWait = b.Miss.Kind, b.Miss.After
	o.Dispatch, o.QueueLimit, o.Tokens, o.Servers = b.Dispatch, b.QueueLimit, b.Tokens, b.Servers
	o.IdleTimeout, o.Scavenge = b.IdleTimeout, b.Scavenge
	o.Tick, o.TickPhase = b.Tick, b.TickPhase
	o.Reactors = b.Reactors
	o.MaxWorkers, o.Heap, o.StartDelay, o.Seed = b.MaxWorkers, b.Heap, b.StartDelay, seed
	return o
}

// A node is the bundled target of one run.
type node struct {
	*fleet.Node
	client *nodeClient
	tree   *monitor.Tree
}

// startNode starts the node of a profile, listening at an address, "" for a free
// port of the loopback.
func startNode(ctx context.Context, p *profiles.Profile, binary, listen string) (*node, error) {
	o := options(p.Target.Bundled, p.Seed)
	if listen != "" {
		o.Listen = listen
	}
	n, err := fleet.Start(ctx, fleet.Config{Binary: binary, Options: o})
	if err != nil {
		return nil, startError(err)
	}
	fs, err := monitor.NewFS(monitor.Proc)
	if err == nil {
		var tree *monitor.Tree
		if tree, err = monitor.NewTree(fs, n.PID); err == nil {
			return &node{Node: n, client: newNodeClient(n.Addr), tree: tree}, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("sample the node: %w", err), n.Stop(ctx))
}

// startError tells apart a node that refused what the profile says, which is a
// fault of the profile, from one that could not start.
func startError(err error) error {
	var exit *fleet.ExitError
	if errors.As(err, &exit) && exit.Code == 2 {
		said, _, _ := strings.Cut(strings.TrimPrefix(exit.Stderr, "target: "), "\nsee target")
		return marked{fmt.Errorf("the node refuses the profile's settings: %s", said), ErrUsage}
	}
	if errors.Is(err, fleet.ErrNotFound) {
		return marked{err, ErrUsage}
	}
	return fmt.Errorf("start the bundled node: %w", err)
}

func (n *node) origin() string { return "http://" + n.Addr }

// close ends the node and everything that watches it.
func (n *node) close(ctx context.Context) error {
	n.client.close()
	n.tree.Close()
	return n.Stop(ctx)
}

// lost says how the node ended when it has, empty while it runs.
func (n *node) lost() string {
	select {
	case <-n.Exited():
		var exit *fleet.ExitError
		if errors.As(n.Wait(), &exit) {
			return "the node ended during the run: " + exit.State
		}
		return "the node ended during the run"
	default:
		return ""
	}
}

// A nodeView is what is shown of /stats while a run goes on.
type nodeView struct {
	Workers struct {
		Starting int `json:"starting"`
		Idle     int `json:"idle"`
		Busy     int `json:"busy"`
		OneOffs  int `json:"oneoffs"`
	} `json:"workers"`
	Requests struct {
		Waiting int `json:"waiting"`
	} `json:"requests"`
}

func (v nodeView) workers() int { return v.Workers.Idle + v.Workers.Busy + v.Workers.OneOffs }

func viewOf(stats json.RawMessage) (nodeView, error) {
	var v nodeView
	err := json.Unmarshal(stats, &v)
	return v, err
}
