package profiles

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"edgebench/profiles/arrival"
)

// Placeholder reports whether the url stands for one that is yet to be given: its
// host is in the domain invalid, which nobody can have (RFC 6761, 6.4).
func (t Target) Placeholder() bool {
	u, err := url.Parse(t.URL)
	return err == nil && strings.HasSuffix(u.Hostname(), ".invalid")
}

const (
	maxWorkers = 10_000
	maxQueue   = 1_000_000_000
	maxServers = 64
	maxLoops   = 64
	maxHeap    = 1 << 40
)

var (
	policyName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)
	// A rule that weighs takes its weights after a colon: probabilistic:3,2,1.
	dispatchRule = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}(:[0-9.,e+-]{1,900})?$`)
	paramName    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

func defaultBundled() *Bundled {
	return &Bundled{
		Policy:      Policy{Name: "ewma"},
		Worker:      "fork",
		Work:        "sleep",
		Service:     Service{Law: "fixed", Mean: 500 * time.Millisecond},
		Miss:        Miss{Kind: "oneoff", After: 300 * time.Millisecond},
		IdleTimeout: 6 * time.Second,
		Scavenge:    time.Second,
		Tick:        2 * time.Second,
		MaxWorkers:  64,
		Reactors:    1,
		Heap:        100e6,
	}
}

// endpoint reads target and request, which share the path.
func (d *decoder) endpoint(o *object, p *Profile) {
	var url located
	if v, ok := o.required("target"); ok {
		url = d.target(v, &p.Target)
	}
	p.Request = defaultRequest()
	path := d.request(o, &p.Request)
	switch {
	case url.text == "" && path.text == "":
		p.Request.Path = "/"
		if p.Target.Bundled != nil {
			p.Request.Path = "/invoke"
		}
	case url.text == "":
		p.Request.Path = path.text
	case path.text == "":
		p.Request.Path = url.text
	// Both: a flag wins over the file; two of a kind contradict each other.
	case url.flag() && !path.flag():
		p.Request.Path = url.text
	case path.flag() && !url.flag():
		p.Request.Path = path.text
	default:
		path.fault("the target's url has a path too (%s): give one of them", clip(url.text))
	}
}

// located is text with the value it was read from.
type located struct {
	value
	text string
}

// flag reports whether the text comes from the command line.
func (l located) flag() bool { return l.d.source(l.node).flag }

// target reads the target; the path of a url, if it has one, is the answer.
func (d *decoder) target(v value, dst *Target) (path located) {
	o, ok := v.object()
	if !ok {
		return located{}
	}
	bundled, hasBundled := o.field("bundled")
	url, hasURL := o.field("url")
	switch {
	case hasBundled && hasURL:
		url.fault("a target is either bundled or a url")
	case !hasBundled && !hasURL:
		v.fault("missing key: give bundled: {} for a node of ours, or url")
	}
	if hasBundled {
		dst.Bundled = d.bundled(bundled)
	}
	d.way(o, &dst.Way)
	if hasURL {
		path = d.url(url, &dst.URL)
		checkWay(o, dst)
	} else if special := dst.Way.Special(); special != "" {
		v.fault("%s goes with a url, not with a node of ours", special)
	}
	o.close()
	return path
}

func (d *decoder) url(v value, dst *string) located {
	var text string
	if !v.line(&text) {
		return located{}
	}
	origin, path, err := splitURL(text)
	if err != nil {
		v.fault("%v", err)
		return located{}
	}
	*dst = origin
	v.template(path, true)
	return located{value: v, text: path}
}

func (d *decoder) bundled(v value) *Bundled {
	b := defaultBundled()
	o, ok := v.object()
	if !ok {
		return b
	}
	if v, ok := o.field("policy"); ok {
		d.policy(v, &b.Policy)
	}
	o.integer("workers", &b.Workers, 0, maxWorkers)
	if v, ok := o.field("dispatch"); ok && v.line(&b.Dispatch) && !dispatchRule.MatchString(b.Dispatch) {
		v.fault("%q is not a dispatch rule, as lifo or probabilistic:3,2,1", clip(b.Dispatch))
	}
	o.choice("worker", &b.Worker, "fork", "exec", "python", "python-exec")
	if v, ok := o.field("work"); ok {
		d.work(v, b)
	}
	if v, ok := o.field("service"); ok {
		d.service(v, &b.Service)
	}
	if v, ok := o.field("miss"); ok {
		d.miss(v, &b.Miss)
	}
	o.integer("queue_limit", &b.QueueLimit, 0, maxQueue)
	o.duration("idle_timeout", &b.IdleTimeout, 1, arrival.MaxLength)
	o.duration("scavenge", &b.Scavenge, 1, arrival.MaxLength)
	o.duration("tick", &b.Tick, 1, arrival.MaxLength)
	if v, ok := o.field("tick_phase"); ok {
		var phase time.Duration
		if v.duration(&phase, 0, arrival.MaxLength) {
			if b.TickPhase = &phase; phase >= b.Tick {
				v.fault("%s is not below the tick, %s", formatDuration(phase), formatDuration(b.Tick))
			}
		}
	}
	o.integer("max_workers", &b.MaxWorkers, 1, maxWorkers)
	o.integer("tokens", &b.Tokens, 0, maxQueue)
	o.integer("servers", &b.Servers, 0, maxServers)
	o.integer("reactors", &b.Reactors, 1, maxLoops)
	if v, ok := o.field("workers"); ok && b.Workers > b.MaxWorkers {
		v.fault("%d is above max_workers, %d", b.Workers, b.MaxWorkers)
	}
	if v, ok := o.field("heap"); ok {
		v.size(&b.Heap, maxHeap)
	}
	o.duration("start_delay", &b.StartDelay, 0, arrival.MaxLength)
	o.close()
	return b
}

// work reads {kind: cpu}, or cpu alone.
func (d *decoder) work(v value, b *Bundled) {
	kinds := []string{"sleep", "cpu", "image"}
	if v.node.Kind != yaml.MappingNode {
		v.choice(&b.Work, kinds...)
	} else if o, ok := v.object(); ok {
		o.choice("kind", &b.Work, kinds...)
		o.close()
	}
	if b.Work == "image" && b.Worker == "fork" {
		v.fault("a forked copy of a Go process cannot resize images: give worker: exec, python or python-exec")
	}
}

// policy reads any policy: the node knows which there are, and their parameters.
func (d *decoder) policy(v value, dst *Policy) {
	name, at, param, ok := v.variant()
	if !ok {
		return
	}
	if !policyName.MatchString(name) {
		at.fault("%q is not the name of a policy (lower-case letters, digits and '-')", clip(name))
		return
	}
	*dst = Policy{Name: name}
	if param.node == nil {
		return
	}
	o, ok := param.object()
	if !ok {
		return
	}
	for _, e := range o.entries {
		var x float64
		switch {
		case !paramName.MatchString(e.name):
			value{d: d, node: e.keyNode, key: e.value.key}.fault("%q is not the name of a parameter (lower-case letters, digits and '_')", clip(e.name))
		case e.value.parameter(&x):
			if dst.Params == nil {
				dst.Params = map[string]float64{}
			}
			dst.Params[e.name] = x
		}
	}
}

// parameter reads a number, or true and false as 1 and 0.
func (v value) parameter(dst *float64) bool {
	if v.node.Kind == yaml.ScalarNode && v.node.Tag == "!!bool" {
		if strings.EqualFold(v.node.Value, "true") {
			*dst = 1
		}
		return true
	}
	return v.number(dst)
}

// service reads "500ms" or {exponential: 333ms}.
func (d *decoder) service(v value, dst *Service) {
	if v.node.Kind != yaml.MappingNode {
		v.duration(&dst.Mean, 0, arrival.MaxLength)
		return
	}
	name, at, param, ok := v.variant()
	if !ok {
		return
	}
	if name != "exponential" && name != "fixed" {
		at.fault("%s", UnknownName("law of service", name, []string{"exponential", "fixed"}))
		return
	}
	least := time.Duration(0)
	if name == "exponential" {
		least = 1
	}
	if param.duration(&dst.Mean, least, arrival.MaxLength) {
		dst.Law = name
	}
}

// miss reads queue, spawn, oneoff or {oneoff: {after: 300ms}}.
func (d *decoder) miss(v value, dst *Miss) {
	name, at, param, ok := v.variant()
	if !ok {
		return
	}
	switch name {
	case "oneoff":
		if param.node != nil {
			o, _ := param.object()
			o.duration("after", &dst.After, 0, arrival.MaxLength)
			o.close()
		}
	case "queue", "spawn":
		if param.node != nil {
			param.fault("%s has no parameters", name)
			return
		}
		*dst = Miss{Kind: name}
	default:
		at.fault("%s", UnknownName("miss path", name, []string{"queue", "spawn", "oneoff"}))
	}
}
