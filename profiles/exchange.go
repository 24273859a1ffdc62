package profiles

import (
	"encoding/base64"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Body is what a request carries; at most one of the first three is set.
// Files are relative to the working directory.
type Body struct {
	Text     string // with placeholders
	File     string // sent as it is, or with placeholders
	Base64   string // sent decoded
	Template bool   // the file's text has placeholders
}

// CSV is a file with a row for each request, starting over at its end.
type CSV struct {
	File    string
	Shuffle bool // in one order drawn from the seed, instead of the file's
}

// Counter is what {{counter}} counts.
type Counter struct{ Start, Step int64 }

// Auth is how a request proves who sends it: at most one of them. Secrets may
// be ${NAME}, read from the environment when the run starts.
type Auth struct {
	Basic  *Basic
	Bearer string
	SigV4  *SigV4
}

// Basic is a user and a password.
type Basic struct{ User, Password string }

// SigV4 is Amazon's signature, version 4.
type SigV4 struct{ Service, Region, AccessKey, SecretKey, SessionToken string }

// Expect is what a response must be to count as ok.
type Expect struct {
	Status   []Status // none: any 2xx
	Contains string   // in the body
	Matches  string   // a regular expression (RE2) that the body must match somewhere
	JSON     []Field  // of a body that is JSON
	MaxBody  int64    // bytes; a larger body is an error; 0 = no limit of the profile's
}

// Checks reports whether bodies have to be looked at.
func (e Expect) Checks() bool { return e.Contains != "" || e.Matches != "" || len(e.JSON) > 0 }

// Status is a range of statuses, both ends included.
type Status struct{ From, To int }

// A Field is a value in a JSON body: a path such as items[0].id, and the text,
// number or truth value there, as JSON writes it.
type Field struct{ Path, Value string }

// followed explains why there are no redirects to follow.
const followed = "redirects are not followed: the second request would be one that nobody scheduled; a 3xx is counted as such, or expected by expect.status"

// exchange reads the keys of a request beside the message itself.
func (d *decoder) exchange(o *object, dst *Request) {
	if v, ok := o.field("csv"); ok {
		d.csv(v, &dst.CSV)
	}
	if v, ok := o.field("counter"); ok {
		c, _ := v.object()
		dst.Counter = Counter{Start: 0, Step: 1}
		c.long("start", &dst.Counter.Start)
		c.long("step", &dst.Counter.Step)
		c.close()
	}
	if v, ok := o.field("auth"); ok {
		dst.Auth = d.auth(v)
	}
	if v, ok := o.field("expect"); ok {
		dst.Expect = d.expect(v)
	}
	if v, ok := o.field("follow"); ok {
		n := 0
		if v.integer(&n, 0, math.MaxInt32) && n > 0 {
			v.fault(followed)
		}
	}
}

// body reads text, {file: …}, {file: …, template: true} or {base64: …}.
func (d *decoder) body(v value, dst *Body) {
	if v.node.Kind != yaml.MappingNode {
		var text string
		if v.text(&text) {
			v.template(text, false)
			*dst = Body{Text: text}
		}
		return
	}
	var b Body
	o, _ := v.object()
	o.line("file", &b.File)
	o.boolean("template", &b.Template)
	if v, ok := o.field("base64"); ok && v.text(&b.Base64) {
		if _, err := base64.StdEncoding.DecodeString(b.Base64); err != nil {
			v.fault("not base64: %v", err)
		}
	}
	o.close()
	switch {
	case (b.File == "") == (b.Base64 == ""):
		v.fault("want text, {file: NAME} or {base64: TEXT}")
	case b.Template && b.File == "":
		v.fault("template goes with a file")
	default:
		*dst = b
	}
}

// csv reads a file's name, or {file: …, order: …}; null is none.
func (d *decoder) csv(v value, dst *CSV) {
	var c CSV
	if v.node.Kind == yaml.MappingNode {
		order := "sequence"
		o, _ := v.object()
		if f, ok := o.required("file"); ok {
			f.line(&c.File)
		}
		o.choice("order", &order, "sequence", "shuffle")
		o.close()
		c.Shuffle = order == "shuffle"
	} else if !v.line(&c.File) {
		return
	}
	if c.File == "" {
		v.fault("the name of a file is missing")
	}
	*dst = c
}

func (d *decoder) auth(v value) (a Auth) {
	name, at, param, ok := v.variant()
	if !ok {
		return a
	}
	secret := func(o *object, key string, dst *string) {
		if f, ok := o.required(key); ok {
			f.secret(dst)
		}
	}
	kinds := []string{"none", "basic", "bearer", "sigv4"}
	switch {
	case !slices.Contains(kinds, name):
		at.fault("%s", UnknownName("kind of auth", name, kinds))
	case name == "none" && param.node == nil:
	case param.node == nil:
		at.fault("%s needs parameters, as in {basic: {user: me, password: \"${PASSWORD}\"}}", clip(name))
	case name == "bearer":
		param.secret(&a.Bearer)
	case name == "basic":
		o, _ := param.object()
		a.Basic = &Basic{}
		secret(o, "user", &a.Basic.User)
		secret(o, "password", &a.Basic.Password)
		o.close()
	case name == "sigv4":
		o, _ := param.object()
		a.SigV4 = &SigV4{}
		secret(o, "service", &a.SigV4.Service)
		secret(o, "region", &a.SigV4.Region)
		secret(o, "access_key", &a.SigV4.AccessKey)
		secret(o, "secret_key", &a.SigV4.SecretKey)
		if f, ok := o.field("session_token"); ok {
			f.secret(&a.SigV4.SessionToken)
		}
		o.close()
	default:
		at.fault("none has no parameters")
	}
	return a
}

// secret reads a text that is never repeated in a fault.
func (v value) secret(dst *string) {
	if v.node.Kind != yaml.ScalarNode || v.node.Tag != "!!str" || v.node.Value == "" {
		v.fault("expected text, in quotes if it looks like something else")
		return
	}
	if strings.ContainsFunc(v.node.Value, isControl) {
		v.fault("has a control character")
		return
	}
	if parts, err := ParseTemplate(Literal(v.node.Value, false), true); err != nil {
		v.fault("%v", err)
	} else if len(parts) > 0 {
		*dst = v.node.Value
	}
}

func (d *decoder) expect(v value) (e Expect) {
	o, _ := v.object()
	if v, ok := o.field("status"); ok {
		d.statuses(v, &e.Status)
	}
	if v, ok := o.field("body"); ok {
		b, _ := v.object()
		if v, ok := b.field("contains"); ok {
			v.text(&e.Contains)
		}
		if v, ok := b.field("matches"); ok && v.text(&e.Matches) {
			if _, err := regexp.Compile(e.Matches); err != nil {
				v.fault("%v", err)
			}
		}
		if v, ok := b.field("json"); ok {
			d.fields(v, &e.JSON)
		}
		b.close()
	}
	if v, ok := o.field("max_body"); ok {
		if v.size(&e.MaxBody, 1<<40) && e.MaxBody == 0 {
			v.fault("must be above 0")
		}
	}
	o.close()
	return e
}

// statuses reads a status or a list of them: 200, 2xx, 200-204.
func (d *decoder) statuses(v value, dst *[]Status) {
	items := []value{v}
	if !v.isScalar() {
		items, _ = v.list()
	}
	for _, item := range items {
		text, ok := item.scalar("a status such as 200 or 2xx")
		if !ok {
			continue
		}
		s, ok := parseStatus(text)
		if !ok {
			item.fault("%q is no status: write for example 200, 2xx or 200-204", clip(text))
			continue
		}
		*dst = append(*dst, s)
	}
}

func parseStatus(text string) (s Status, ok bool) {
	from, to, ranged := strings.Cut(text, "-")
	switch {
	case len(text) == 3 && strings.HasSuffix(text, "xx"):
		class := int(text[0]-'0') * 100
		s = Status{class, class + 99}
	case ranged:
		s.From, _ = strconv.Atoi(from)
		s.To, _ = strconv.Atoi(to)
	default:
		s.From, _ = strconv.Atoi(text)
		s.To = s.From
	}
	return s, s.From >= 100 && s.From <= s.To && s.To <= 599
}

// jsonPath is names and indices: items[0].id.
var jsonPath = regexp.MustCompile(`^(\[\d{1,6}\]|[^.\[\]]+)(\.[^.\[\]]+|\[\d{1,6}\])*$`)

// fields reads a mapping of paths to values.
func (d *decoder) fields(v value, dst *[]Field) {
	o, _ := v.object()
	for _, e := range o.entries {
		text, ok := e.value.scalar("a text, number or truth value")
		switch {
		case !ok:
		case !jsonPath.MatchString(e.name):
			value{d: d, node: e.keyNode, key: e.value.key}.fault("%q is no path, write for example items[0].id", clip(e.name))
		default:
			switch e.value.node.Tag {
			case "!!bool":
				text = strings.ToLower(text)
			case "!!int", "!!float":
				if _, err := parseNumber(text); err != nil {
					e.value.fault("%v", err)
					continue
				}
			default:
				text = strconv.Quote(text)
			}
			*dst = append(*dst, Field{Path: e.name, Value: text})
		}
	}
}

// long reads a whole number of either sign.
func (o *object) long(name string, dst *int64) {
	v, ok := o.field(name)
	if !ok {
		return
	}
	text, ok := v.scalar("a whole number")
	if !ok {
		return
	}
	n, err := parseInteger(text)
	if err != nil {
		v.fault("%v", err)
		return
	}
	*dst = n
}
