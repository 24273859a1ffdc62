package profiles

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"edgebench/profiles/arrival"
	"edgebench/profiles/arrival/trace"
)

const maxSpeed = 1e9

// recordings is the registry of arrivals that are not made by a law and a rate:
// how each reads what stands below its name.
var recordings = map[string]func(value, *Arrivals){
	"times":  func(v value, a *Arrivals) { a.Times = v.times() },
	"replay": func(v value, a *Arrivals) { a.Replay = v.replay() },
	"trace":  func(v value, a *Arrivals) { a.Trace = v.trace() },
}

// Recorded reports whether the arrivals are recorded, not made by a law.
func (a Arrivals) Recorded() bool { return a.Times != nil || a.Replay != nil || a.Trace != nil }

// times reads [0s, 500ms, …] or {file: NAME, speed: 2}.
func (v value) times() *Times {
	t := &Times{Speed: 1}
	if v.node.Kind != yaml.MappingNode {
		items, ok := v.list()
		if ok && len(items) == 0 {
			v.fault("no instants")
		}
		t.At = make([]time.Duration, len(items))
		for i, item := range items {
			item.duration(&t.At[i], 0, arrival.MaxLength-1)
		}
		return t
	}
	o, _ := v.object()
	if v, ok := o.required("file"); ok {
		v.fileName(&t.File)
	}
	o.positive("speed", &t.Speed, maxSpeed)
	o.close()
	return t
}

// replay reads {run: DIR, speed: 2, scale: 0.5}.
func (v value) replay() *Replay {
	r := &Replay{Speed: 1, Scale: 1}
	o, _ := v.object()
	if v, ok := o.required("run"); ok {
		v.fileName(&r.Run)
	}
	o.positive("speed", &r.Speed, maxSpeed)
	o.positive("scale", &r.Scale, 1)
	o.close()
	return r
}

// trace reads {FORMAT: {…files}, select: …, …}.
func (v value) trace() *trace.Request {
	r := &trace.Request{Speed: 1, Scale: 1}
	o, ok := v.object()
	if !ok {
		return r
	}
	format := v.format(o, r)
	if v, ok := o.field("select"); ok {
		v.selection(&r.Select)
	}
	o.duration("from", &r.From, 0, arrival.MaxLength)
	o.duration("for", &r.For, 1, arrival.MaxLength)
	o.positive("speed", &r.Speed, maxSpeed)
	o.positive("scale", &r.Scale, 1e6)
	if format.Columns {
		r.Column, r.Spacing = time.Minute, arrival.Spacings()[0].Name
		var names []string
		for _, s := range arrival.Spacings() {
			names = append(names, s.Name)
		}
		o.duration("column", &r.Column, time.Millisecond, arrival.MaxLength)
		o.choice("spacing", &r.Spacing, names...)
		var shifted string
		o.choice("shift", &shifted, "true", "false")
		r.Aligned = shifted == "false"
	} else if r.Scale > 1 {
		at, _ := o.field("scale")
		at.fault("%v: single calls can be thinned (at most 1), not multiplied", r.Scale)
	}
	o.close()
	return r
}

// format finds the one key that names a format, and its files.
func (v value) format(o *object, r *trace.Request) trace.Format {
	var found trace.Format
	var known []string
	for _, f := range trace.Formats() {
		known = append(known, f.Name)
		files, ok := o.field(f.Name)
		switch {
		case ok && r.Format != "":
			files.fault("a trace is of one format, and %s is given too", r.Format)
		case ok:
			found, r.Format, r.Files = f, f.Name, files.files(f)
		}
	}
	if r.Format == "" {
		v.fault("missing key: give one of %s with its files", listNames(known))
	}
	return found
}

// files reads the names of a format's files.
func (v value) files(f trace.Format) map[string]string {
	names := map[string]string{}
	o, ok := v.object()
	if !ok {
		return names
	}
	for _, file := range f.Files {
		at, given := o.field(file.Key)
		if !given && !file.Optional {
			v.fault("missing key %s", file.Key)
		}
		var name string
		if given && at.fileName(&name) {
			names[file.Key] = name
		}
	}
	o.close()
	return names
}

// selection reads all, {top: 20}, {sample: 20, seed: 1} or {ids: […]}.
func (v value) selection(dst *trace.Selection) {
	if v.node.Kind != yaml.MappingNode {
		var all string
		v.choice(&all, "all")
		return
	}
	o, _ := v.object()
	s := trace.Selection{}
	o.integer("top", &s.Top, 1, maxFunctions)
	o.integer("sample", &s.Sample, 1, maxFunctions)
	if v, ok := o.field("seed"); ok {
		v.seed(&s.Seed)
		if s.Sample == 0 {
			v.fault("goes with sample: it is the seed of the lot")
		}
	} else if s.Sample > 0 {
		s.Seed = 1
	}
	if v, ok := o.field("ids"); ok {
		v.lines(&s.IDs)
	}
	o.close()
	given := 0
	for _, set := range []bool{s.Top > 0, s.Sample > 0, len(s.IDs) > 0} {
		if set {
			given++
		}
	}
	if given != 1 {
		v.fault("give one of top, sample and ids, or all")
		return
	}
	*dst = s
}

// fileName reads the name of a file or folder, relative to the working directory.
func (v value) fileName(dst *string) bool {
	if !v.line(dst) {
		return false
	}
	if *dst == "" {
		v.fault("the name of a file is missing")
	}
	return *dst != ""
}

// positive reads a number above 0.
func (o *object) positive(name string, dst *float64, most float64) {
	v, ok := o.field(name)
	var x float64
	if !ok || !v.number(&x) {
		return
	}
	if !(x > 0 && x <= most) {
		v.fault("%v is not above 0 and at most %g", x, most)
		return
	}
	*dst = x
}

func (t *Times) tree() *yaml.Node {
	if t.File != "" {
		return tree("file", quoted(t.File), "speed", decimal(t.Speed))
	}
	list := sequence()
	for _, at := range t.At {
		list.Content = append(list.Content, word(formatDuration(at)))
	}
	return list
}

func (r *Replay) tree() *yaml.Node {
	return tree("run", quoted(r.Run), "speed", decimal(r.Speed), "scale", decimal(r.Scale))
}

func traceTree(r *trace.Request) *yaml.Node {
	files := flow(tree())
	for _, key := range slices.Sorted(maps.Keys(r.Files)) {
		add(files, key, quoted(r.Files[key]))
	}
	n := tree(r.Format, files)
	s := r.Select
	switch {
	case s.Top > 0:
		add(n, "select", flow(tree("top", integer(s.Top))))
	case s.Sample > 0:
		add(n, "select", flow(tree("sample", integer(s.Sample), "seed", number(strconv.FormatUint(s.Seed, 10)))))
	case len(s.IDs) > 0:
		list := sequence()
		for _, id := range s.IDs {
			list.Content = append(list.Content, quoted(id))
		}
		add(n, "select", flow(tree("ids", list)))
	default:
		add(n, "select", word("all"))
	}
	add(n, "from", word(formatDuration(r.From)))
	if r.For > 0 {
		add(n, "for", word(formatDuration(r.For)))
	}
	add(n, "speed", decimal(r.Speed), "scale", decimal(r.Scale))
	if f, _ := trace.FormatOf(r.Format); f.Columns {
		add(n, "column", word(formatDuration(r.Column)), "spacing", word(r.Spacing), "shift", number(strconv.FormatBool(!r.Aligned)))
	}
	return n
}

func decimal(x float64) *yaml.Node { return number(strconv.FormatFloat(x, 'g', -1, 64)) }
