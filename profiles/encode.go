package profiles

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// YAML is the profile as resolved: every key with its value, and read back as the
// same Profile.
func (p *Profile) YAML() []byte { return document(p.tree()) }

func (p *Profile) tree() *yaml.Node {
	root := tree("name", word(p.Name))
	if p.Description != "" {
		add(root, "description", quoted(p.Description))
	}
	add(root,
		"seed", number(strconv.FormatUint(p.Seed, 10)),
		"target", p.Target.tree(),
		"request", p.Request.treeOver(Request{Counter: defaultCounter}),
	)
	if len(p.Functions) > 0 {
		add(root, "functions", functionTree(p.Functions, p.Request))
		add(root, "streams", word(p.Streams))
	}
	add(root,
		"arrivals", p.Arrivals.tree(),
	)
	if len(p.Phases) > 0 {
		add(root, "phases", phaseTree(p.Phases, p.Arrivals.Recorded()))
	}
	add(root,
		"cycles", p.Cycles.tree(p.Phases),
		"precision", p.Precision.tree(),
		"late", p.Late.tree(),
		"rows", rowTree(p.RowEvery),
		"cold", p.Cold.tree(),
		"monitor", flow(tree("interval", word(formatDuration(p.Monitor.Interval)))),
		"drain_timeout", word(formatDuration(p.DrainTimeout)),
	)
	if len(p.Thresholds) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, t := range p.Thresholds {
			list.Content = append(list.Content, quoted(t))
		}
		add(root, "thresholds", list)
	}
	if p.MaxInFlight > 0 {
		add(root, "max_in_flight", integer(p.MaxInFlight))
	}
	if p.Connections > 0 {
		add(root, "connections", integer(p.Connections))
	}
	if p.Shards > 0 {
		add(root, "shards", integer(p.Shards))
	}
	return root
}

// Hash is the hex SHA-256 of the resolved profile without its secrets (see
// Redacted), so that a hash in a result tells nothing about them.
func (p *Profile) Hash() string {
	sum := sha256.Sum256(p.Redacted().YAML())
	return hex.EncodeToString(sum[:])
}

func (t Target) tree() *yaml.Node {
	if t.Bundled == nil {
		n := tree("url", quoted(t.URL))
		t.Way.tree(n)
		return flow(n)
	}
	b := t.Bundled
	n := tree(
		"policy", variant(b.Policy.Name, b.Policy.Params),
		"workers", integer(b.Workers),
		"worker", word(b.Worker),
		"work", flow(tree("kind", word(b.Work))),
		"service", b.Service.tree(),
		"miss", b.Miss.tree(),
		"idle_timeout", word(formatDuration(b.IdleTimeout)),
		"scavenge", word(formatDuration(b.Scavenge)),
		"tick", word(formatDuration(b.Tick)),
	)
	if b.Dispatch != "" {
		add(n, "dispatch", word(b.Dispatch))
	}
	if b.QueueLimit > 0 {
		add(n, "queue_limit", integer(b.QueueLimit))
	}
	if b.Tokens > 0 {
		add(n, "tokens", integer(b.Tokens))
	}
	if b.Servers > 0 {
		add(n, "servers", integer(b.Servers))
	}
	if b.Reactors > 1 {
		add(n, "reactors", integer(b.Reactors))
	}
	if b.TickPhase != nil {
		add(n, "tick_phase", word(formatDuration(*b.TickPhase)))
	}
	add(n,
		"max_workers", integer(b.MaxWorkers),
		"heap", word(formatSize(b.Heap)),
		"start_delay", word(formatDuration(b.StartDelay)),
	)
	n = tree("bundled", n)
	t.Way.tree(n)
	return n
}

func (s Service) tree() *yaml.Node {
	if s.Law == "fixed" {
		return word(formatDuration(s.Mean))
	}
	return flow(tree(s.Law, word(formatDuration(s.Mean))))
}

func (m Miss) tree() *yaml.Node {
	if m.Kind != "oneoff" {
		return word(m.Kind)
	}
	return flow(tree("oneoff", tree("after", word(formatDuration(m.After)))))
}

func phaseTree(phases []Phase, recorded bool) *yaml.Node {
	list := sequence()
	for _, ph := range phases {
		n := tree("name", word(ph.Name))
		if !recorded {
			add(n, "rate", ph.Rate.tree())
		}
		if ph.Count > 0 {
			add(n, "count", integer(ph.Count))
		} else {
			add(n, "for", word(formatDuration(ph.For)))
		}
		if ph.Measure != "" {
			add(n, "measure", word(ph.Measure))
		}
		list.Content = append(list.Content, flow(n))
	}
	return list
}

func (c Cycles) tree(phases []Phase) *yaml.Node {
	n := tree("count", integer(c.Count))
	if len(c.Overrides) == 0 {
		return n
	}
	cycles := tree()
	var phasesOf *yaml.Node
	for i, o := range c.Overrides {
		if i == 0 || o.Cycle != c.Overrides[i-1].Cycle {
			phasesOf = tree()
			cycles.Content = append(cycles.Content, integer(o.Cycle), phasesOf)
		}
		change := flow(tree())
		if o.For != nil {
			add(change, "for", word(formatDuration(*o.For)))
		}
		if o.Rate != nil {
			add(change, "rate", o.Rate.tree())
		}
		add(phasesOf, o.Phase, change)
	}
	add(n, "override", cycles)
	return n
}

func (c Cold) tree() *yaml.Node {
	n := tree()
	switch {
	case c.JSON != "":
		add(n, "json", word(c.JSON))
	case c.InstanceHeader != "":
		add(n, "instance_id", tree("header", word(c.InstanceHeader)))
	case c.InstanceJSON != "":
		add(n, "instance_id", tree("json", word(c.InstanceJSON)))
	default:
		add(n, "header", word(c.Header))
	}
	if c.Threshold > 0 {
		add(n, "threshold", word(formatDuration(c.Threshold)))
	}
	if c.Auto {
		add(n, "auto", number("true"))
	}
	return n
}

// variant writes a name, with parameters sorted by name if there are any.
func variant(name string, params map[string]float64) *yaml.Node {
	if len(params) == 0 {
		return word(name)
	}
	n := tree()
	for _, key := range slices.Sorted(maps.Keys(params)) {
		add(n, key, number(strconv.FormatFloat(params[key], 'g', -1, 64)))
	}
	return flow(tree(name, n))
}
