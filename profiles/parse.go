package profiles

import (
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"edgebench/profiles/arrival"
)

// Parse reads one profile. filename appears in faults, and names a profile that
// does not name itself. The error is Faults.
func Parse(filename string, data []byte, sets []Set) (*Profile, error) {
	d := &decoder{file: source{name: filename}, from: map[*yaml.Node]source{}}
	root, faults := d.file.readTree(data)
	if len(faults) > 0 {
		// The rest could only be guessed at: a reader cannot know what an alias,
		// or the one document of two, was meant to say.
		return nil, faults.err()
	}
	return d.finish(root, sets, profileName(filename))
}

// finish applies the sets to the tree and decodes it.
func (d *decoder) finish(root *yaml.Node, sets []Set, name string) (*Profile, error) {
	v := value{d: d, node: root}
	for _, s := range sets {
		v.apply(s)
	}
	p := d.profile(v, name)
	if err := d.faults.err(); err != nil {
		return nil, err
	}
	p.Origins = Origins{root: root, d: d}
	return p, nil
}

// profileName is the file's name without folder and extension.
func profileName(filename string) string {
	return strings.TrimSuffix(filepath.Base(filename), filepath.Ext(filename))
}

// defaultProfile is what holds for keys that are left out, of those with a default
// that needs no other key.
func defaultProfile(name string) *Profile {
	return &Profile{
		Name:         name,
		Seed:         1,
		Arrivals:     Arrivals{Law: "even"},
		Cycles:       Cycles{Count: 1},
		Cold:         Cold{Header: "X-Cold-Start"},
		Monitor:      Monitor{Interval: time.Second},
		DrainTimeout: 10 * time.Second,
		Written:      Written{},
	}
}

// profile decodes the whole.
func (d *decoder) profile(v value, name string) *Profile {
	p := defaultProfile(name)
	if v.node.Tag == "!!null" {
		v.fault("empty")
		return p
	}
	o, ok := v.object()
	if !ok {
		return p
	}
	d.name(o, &p.Name)
	o.line("description", &p.Description)
	if v, ok := o.field("seed"); ok {
		v.seed(&p.Seed)
	}
	d.endpoint(o, p)
	d.functions(o, p)
	if v, ok := o.field("arrivals"); ok {
		d.arrivals(v, &p.Arrivals)
	}
	d.phases(o, p)
	d.together(o, p)
	d.pacing(o, p)
	if v, ok := o.field("cold"); ok {
		d.cold(v, &p.Cold)
	}
	if v, ok := o.field("monitor"); ok {
		m, _ := v.object()
		m.duration("interval", &p.Monitor.Interval, leastInterval, mostInterval)
		m.close()
	}
	o.duration("drain_timeout", &p.DrainTimeout, 0, arrival.MaxLength)
	o.integer("max_in_flight", &p.MaxInFlight, 0, math.MaxInt32)
	o.integer("connections", &p.Connections, 0, math.MaxInt32)
	if v, ok := o.field("thresholds"); ok {
		v.lines(&p.Thresholds)
		p.Written.note(v)
	}
	for _, key := range []string{"request", "functions"} { // files and variables of the environment, read before a run
		if v, ok := o.field(key); ok {
			p.Written.note(v)
		}
	}
	o.close()
	return p
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// name becomes part of a folder's name, so it is kept plain.
func (d *decoder) name(o *object, dst *string) {
	const rule = "letters, digits, '.', '_' and '-', at most 64 of them"
	v, ok := o.field("name")
	switch {
	case ok && v.text(dst) && !namePattern.MatchString(*dst):
		v.fault("%q: a name is %s", clip(*dst), rule)
	case !ok && !namePattern.MatchString(*dst):
		o.at.fault("missing key name: the file's name %q will not do (%s)", clip(*dst), rule)
	}
}

// seed reads an unsigned 64-bit number.
func (v value) seed(dst *uint64) {
	text, ok := v.scalar("a whole number")
	if !ok {
		return
	}
	if plainInteger.MatchString(text) && text[0] != '-' {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			*dst = n
			return
		}
	}
	_, err := parseInteger(text)
	switch {
	case err != nil:
		v.fault("%v", err)
	default:
		v.fault("%s is below 0", text)
	}
}

func (d *decoder) cold(v value, dst *Cold) {
	o, _ := v.object()
	given := 0
	for _, key := range []struct {
		name string
		read func(value)
	}{
		{"header", func(v value) { v.headerName(&dst.Header) }},
		{"json", func(v value) { v.jsonPath(&dst.JSON) }},
		{"instance_id", func(v value) { v.instance(dst) }},
	} {
		v, ok := o.field(key.name)
		if !ok {
			continue
		}
		if given++; given > 1 {
			v.fault("only one of header, json and instance_id")
		}
		if key.name != "header" {
			dst.Header = "" // the default would be a second mark
		}
		key.read(v)
	}
	o.duration("threshold", &dst.Threshold, 1, arrival.MaxLength)
	o.boolean("auto", &dst.Auto)
	o.close()
}

// instance reads {header: NAME} or {json: PATH}.
func (v value) instance(dst *Cold) {
	name, at, param, ok := v.variant()
	switch {
	case !ok:
	case name != "header" && name != "json":
		at.fault("%s", UnknownName("kind of instance id", name, []string{"header", "json"}))
	case param.node == nil:
		at.fault("want {header: NAME} or {json: PATH}")
	case name == "header":
		param.headerName(&dst.InstanceHeader)
	default:
		param.jsonPath(&dst.InstanceJSON)
	}
}

func (v value) headerName(dst *string) {
	var name string
	if !v.text(&name) {
		return
	}
	if !headerName.MatchString(name) {
		v.fault("%q is not a header name", clip(name))
		return
	}
	*dst = name
}

func (v value) jsonPath(dst *string) {
	var path string
	if !v.text(&path) {
		return
	}
	if !jsonPath.MatchString(path) {
		v.fault("%q is not a path such as items[0].id", clip(path))
		return
	}
	*dst = path
}
