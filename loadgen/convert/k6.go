package convert

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"edgebench/profiles"
)

// k6Keys are top-level options by which a file of them is known.
var k6Keys = map[string]bool{"scenarios": true, "thresholds": true, "stages": true, "vus": true, "duration": true, "iterations": true, "options": true, "discardResponseBodies": true, "ext": true, "cloud": true}

func guessK6(head []byte) bool {
	keys := firstKeys(head)
	return len(keys) > 0 && k6Keys[keys[0]]
}

// k6Unsent are options that say nothing of what is sent or when, by the reason.
var k6Unsent = map[string]string{
	"vus": byUsers, "stages": byUsers, "iterations": byUsers, "duration": byUsers,
	"tlsAuth": "write target: {tls: …}", "insecureSkipTLSVerify": "write target: {tls: {insecure: true}}", "hosts": "write target: {resolve: …}",
	"noConnectionReuse": "write target: {keep_alive: false}", "userAgent": "write it in request: {headers: …}",
	"rps": "a profile has rates of its own", "batch": "it is about requests that the script makes",
}

const byUsers = "users who wait for each answer before they send again would hide a slow target: only the arrival-rate executors are open loop"

// readK6 reads options as k6 takes them by --config, or what `export const options`
// has, as JSON. What is sent stands in k6's script, which is a program: --url.
func readK6(r io.Reader, d *draft) {
	text, ok := d.text(r)
	if !ok {
		return
	}
	start := position{1, 1}
	root, err := tree(text, start)
	if err != nil {
		d.fault(root.at, "%v (the options as JSON are wanted, as in k6 inspect script.js)", err)
		return
	}
	if inner, ok := root.field("options"); ok && inner.object {
		root = inner
	}
	if d.options.Rate != "" || d.options.Duration != "" {
		d.faults = append(d.faults, profiles.Fault{File: "--rate", Message: "the scenarios have rates and durations of their own"})
	}
	k := &k6{d: d}
	for _, f := range root.fields {
		switch f.name {
		case "scenarios":
			k.scenarios(f.node)
		case "thresholds":
			k.thresholds(f.node)
		default:
			if why, known := k6Unsent[f.name]; known {
				d.lost(f.at, f.name, why)
			} else if f.value != nil || f.object || f.list {
				d.lost(f.at, f.name, "a profile has nothing like it")
			}
		}
	}
	k.finish(root)
}

// k6 gathers scenarios.
type k6 struct {
	d        *draft
	ramps    []ramp
	names    int // scenarios that are played
	flying   int
	unscaled bool // a scenario without bound of its users
}

// A ramp is a stretch of a scenario in which its rate goes from one to another.
type ramp struct {
	scenario string
	from, to time.Duration
	low, top float64 // requests/s at both ends
}

func (k *k6) scenarios(n node) {
	if !n.object {
		k.d.fault(n.at, "scenarios: want an object of scenarios by name")
		return
	}
	for _, f := range n.fields {
		executor, _ := f.field("executor")
		kind, _ := executor.text()
		at := cmp.Or(executor.at, f.at)
		switch kind {
		case "constant-arrival-rate", "ramping-arrival-rate":
			k.scenario(f, kind)
		case "constant-vus", "ramping-vus", "shared-iterations", "per-vu-iterations", "externally-controlled":
			k.d.lost(at, fmt.Sprintf("scenario %s (%s)", clip(f.name), kind), byUsers)
		case "":
			k.d.fault(at, "scenario %s: missing key executor", clip(f.name))
		default:
			k.d.fault(at, "scenario %s: %s", clip(f.name), profiles.UnknownName("executor", kind, []string{"constant-arrival-rate", "ramping-arrival-rate"}))
		}
	}
}

func (k *k6) scenario(f field, kind string) {
	begin := k.duration(f.node, "startTime", 0)
	unit := k.duration(f.node, "timeUnit", time.Second)
	if unit <= 0 {
		at, _ := f.field("timeUnit")
		k.d.fault(at.at, "scenario %s: timeUnit must be above 0", clip(f.name))
		unit = time.Second
	}
	perSecond := func(n float64) float64 { return n / unit.Seconds() }
	k.names++
	if kind == "constant-arrival-rate" {
		rate := perSecond(k.number(f, f.node, "rate"))
		k.add(f, ramp{f.name, begin, begin + k.required(f, f.node, "duration"), rate, rate})
	} else {
		rate := 0.0
		if _, ok := f.field("startRate"); ok {
			rate = perSecond(k.number(f, f.node, "startRate"))
		}
		stages, _ := f.field("stages")
		if len(stages.items) == 0 {
			k.d.fault(f.at, "scenario %s: missing key stages", clip(f.name))
		}
		for _, s := range stages.items {
			next := perSecond(k.number(f, s, "target"))
			end := begin + k.required(f, s, "duration")
			k.add(f, ramp{f.name, begin, end, rate, next})
			begin, rate = end, next
		}
	}
	k.rest(f)
}

// rest are the keys of a scenario that say nothing of its rate.
func (k *k6) rest(f field) {
	users := 0
	for _, g := range f.fields {
		what := "scenario " + clip(f.name) + ": " + g.name
		switch g.name {
		case "executor", "startTime", "timeUnit", "rate", "duration", "startRate", "stages":
		case "preAllocatedVUs", "maxVUs":
			users = max(users, int(k.number(f, f.node, g.name)))
		case "gracefulStop":
			k.d.drain = max(k.d.drain, k.duration(f.node, g.name, 0))
		case "exec", "env":
			k.d.lost(g.at, what, "what is sent stands in the script, which is a program: give --url, and write request")
		case "tags":
			k.d.lost(g.at, what, "requests have no tags")
		default:
			k.d.lost(g.at, what, "a profile has nothing like it")
		}
	}
	k.flying += users
	if users == 0 {
		k.unscaled = true
	} else {
		k.d.note(f.at, "scenario %s: at most %d users became max_in_flight: requests above it are dropped and counted, as k6 drops iterations; right if an iteration is one request", clip(f.name), users)
	}
}

func (k *k6) add(f field, r ramp) {
	for _, rate := range []float64{r.low, r.top} {
		if !(rate >= 0 && rate <= profiles.MaxRate) {
			k.d.fault(f.at, "scenario %s: a rate of %g/s is outside 0 to %g", clip(f.name), rate, float64(profiles.MaxRate))
			return
		}
	}
	if r.to > r.from { // a stage of no time is a jump
		k.ramps = append(k.ramps, r)
	}
}

func (k *k6) number(f field, n node, key string) float64 {
	v, ok := n.field(key)
	if !ok {
		k.d.fault(cmp.Or(n.at, f.at), "scenario %s: missing key %s", clip(f.name), key)
		return 0
	}
	text, _ := v.text()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 || x > 1e12 {
		k.d.fault(v.at, "scenario %s: %s is no number from 0", clip(f.name), key)
		return 0
	}
	return x
}

func (k *k6) required(f field, n node, key string) time.Duration {
	if _, ok := n.field(key); !ok {
		k.d.fault(cmp.Or(n.at, f.at), "scenario %s: missing key %s", clip(f.name), key)
	}
	return k.duration(n, key, 0)
}

// maxK6 is longer than any profile may be, and short enough to add up.
const maxK6 = 10_000 * time.Hour

// duration is text such as 1m30s, or a number of milliseconds.
func (k *k6) duration(n node, key string, otherwise time.Duration) time.Duration {
	v, ok := n.field(key)
	if !ok {
		return otherwise
	}
	text, _ := v.text()
	if ms, err := strconv.ParseFloat(text, 64); err == nil && ms >= 0 && ms < float64(maxK6/time.Millisecond) {
		return time.Duration(ms * float64(time.Millisecond))
	}
	length, err := profiles.ParseDuration(text)
	if err != nil || length > maxK6 {
		k.d.fault(v.at, "%s: %q is no duration of at most %v", key, clip(text), maxK6)
		return otherwise
	}
	return length
}

func (k *k6) finish(root node) {
	d := k.d
	if len(d.faults) > 0 {
		return
	}
	if len(k.ramps) == 0 {
		why := "no scenario with the executor constant-arrival-rate or ramping-arrival-rate: " + byUsers
		for _, n := range d.notes {
			why += "\n" + n.At + ": " + n.Text
		}
		d.fault(root.at, "%s", why)
		return
	}
	if d.calm = phasesOf(k.ramps); k.names > 1 {
		d.note(position{}, "scenarios run at the same time in k6: their rates were added, instant by instant, into one sequence of phases")
	}
	if d.flying = k.flying; k.unscaled {
		d.flying = 0
	}
	url := d.options.URL
	if url == "" {
		url = "http://change-me.invalid/"
		d.note(position{}, "the target: it stands in k6's script, which is a program: give --url, or change target.url")
	}
	r := newRequest()
	if origin, ok := d.target(position{}, url, &r); ok {
		d.add(call{origin: origin, request: r})
	}
	d.told = "The requests themselves stand in k6's script: see request."
}
