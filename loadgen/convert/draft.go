package convert

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"edgebench/profiles"
)

// A draft is a profile in the making, whatever the format.
type draft struct {
	options Options
	faults  profiles.Faults
	notes   []Note
	secrets secrets

	calls  []call           // different requests, in the order they first come
	known  map[string]int   // where in calls, by what they say
	calm   []profiles.Phase // phases of the text; nil: one, of the options
	at     []time.Duration  // recorded instants, in place of phases; nil for none
	bounds []string         // thresholds
	drain  time.Duration    // 0 for the default
	flying int              // most requests in flight; 0 for the default
	told   string           // a line about the text, for the top of the profile
}

// A call is a request and where it goes.
type call struct {
	at      position
	origin  string // scheme://host[:port]
	way     profiles.Way
	request profiles.Request
	times   int // how often the text has it
}

// maxCalls bounds what is kept of a text; a profile cannot hold more.
const maxCalls = 10_000

func newDraft(o Options) *draft { return &draft{options: o, known: map[string]int{}} }

// add takes one more request, which may be there already.
func (d *draft) add(c call) {
	key := fmt.Sprintf("%s %+v %+v", c.origin, c.way, printable(c.request))
	if !utf8.ValidString(key) { // a body that is none was written in base64
		d.fault(c.at, "the request is not UTF-8: a profile can say that of a body only")
		return
	}
	if i, ok := d.known[key]; ok {
		d.calls[i].times++
		return
	}
	if len(d.calls) == maxCalls {
		d.fault(c.at, "more than %d different requests: a profile that calls so many is better written with csv", maxCalls)
	}
	if len(d.calls) > maxCalls {
		return
	}
	c.times = 1
	d.known[key] = len(d.calls)
	d.calls = append(d.calls, c)
}

// printable is a request with what its pointers point at.
func printable(r profiles.Request) any {
	var basic profiles.Basic
	var sigv4 profiles.SigV4
	if r.Auth.Basic != nil {
		basic = *r.Auth.Basic
	}
	if r.Auth.SigV4 != nil {
		sigv4 = *r.Auth.SigV4
	}
	r.Auth.Basic, r.Auth.SigV4 = nil, nil
	return []any{fmt.Sprintf("%v", r.Headers), r, basic, sigv4}
}

// newRequest has the defaults of a profile.
func newRequest() profiles.Request {
	return profiles.Request{Method: "GET", Path: "/", Timeout: 10 * time.Second, Counter: profiles.Counter{Step: 1}}
}

// finish makes the profile, unless there are faults.
func (d *draft) finish(format string) (*Result, error) {
	if len(d.faults) > 0 {
		return nil, d.sorted()
	}
	if len(d.calls) == 0 {
		d.fault(position{}, "no request in it")
		return nil, d.faults
	}
	first := d.calls[0]
	for _, c := range d.calls[1:] {
		switch {
		case c.origin != first.origin:
			d.fault(c.at, "%s: a profile has one target, and the first request goes to %s: convert them one by one", c.origin, first.origin)
		case fmt.Sprint(c.way) != fmt.Sprint(first.way):
			d.fault(c.at, "reaches the target in another way than the first request: convert them one by one")
		}
	}
	if len(d.faults) > 0 {
		return nil, d.faults
	}
	p, err := profiles.OneLiner(d.calls[0].origin, cmp.Or(d.options.Rate, DefaultRate), cmp.Or(d.options.Duration, DefaultDuration), nil)
	if err != nil {
		return nil, d.blamed(err)
	}
	p.Name = cmp.Or(d.options.Name, nameOf(format, d.calls[0].origin))
	p.Target.Way = d.calls[0].way
	d.requests(p)
	switch {
	case d.at != nil:
		p.Phases = nil
		p.Arrivals = profiles.Arrivals{Law: "times", Times: &profiles.Times{At: d.at, Speed: 1}}
	case d.calm != nil:
		p.Phases = d.calm
	}
	p.Thresholds = d.bounds
	p.DrainTimeout = cmp.Or(d.drain, p.DrainTimeout)
	p.MaxInFlight = d.flying
	return d.written(format, p)
}

// sorted has the faults in the order of the text.
func (d *draft) sorted() error {
	slices.SortStableFunc(d.faults, func(a, b profiles.Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return d.faults
}

// written is the profile as text, read again as a check.
func (d *draft) written(format string, p *profiles.Profile) (*Result, error) {
	text := p.Commented(d.top(format), d.comments())
	again, err := profiles.Parse(p.Name+".yaml", text, nil)
	if err != nil {
		return nil, d.blamed(err)
	}
	if string(again.YAML()) != string(p.YAML()) {
		return nil, errors.New("the profile reads back as another one")
	}
	return &Result{Profile: text, Notes: d.notes, Secrets: d.secrets.all}, nil
}

// blamed turns faults of the profile into faults of the text: its lines are
// nothing that a user has seen. Those of flags are their own.
func (d *draft) blamed(err error) error {
	var faults profiles.Faults
	if !errors.As(err, &faults) {
		return err
	}
	for i, f := range faults {
		switch {
		case f.File == "--url" && d.options.URL == "", f.Line > 0:
			at := position{}
			if len(d.calls) > 0 {
				at = d.calls[0].at
			}
			faults[i] = profiles.Fault{File: d.options.File, Line: at.line, Column: at.column, Key: f.Key, Message: f.Message}
		}
	}
	return faults
}

// requests is one request, or a function for each.
func (d *draft) requests(p *profiles.Profile) {
	first := d.calls[0].request
	if len(d.calls) == 1 {
		p.Request = first
		return
	}
	base := newRequest()
	if d.every(func(r profiles.Request) any { return r.Method }) {
		base.Method = first.Method
	}
	if d.every(func(r profiles.Request) any { return r.Headers }) {
		base.Headers = first.Headers
	}
	if d.every(func(r profiles.Request) any { return r.Timeout }) {
		base.Timeout = first.Timeout
	}
	p.Request = base
	p.Streams = profiles.SharedStreams
	taken := map[string]bool{}
	for _, c := range d.calls {
		f := profiles.Function{Name: functionName(c.request, taken), Weight: float64(c.times), Request: c.request}
		p.Functions = append(p.Functions, f)
	}
	d.note(position{}, "%d different requests became functions: which comes when is drawn by lot, each as often as it was there; their order is not kept", len(d.calls))
}

// every reports whether all requests have the same of something.
func (d *draft) every(part func(profiles.Request) any) bool {
	want := fmt.Sprintf("%q", part(d.calls[0].request))
	return !slices.ContainsFunc(d.calls, func(c call) bool { return fmt.Sprintf("%q", part(c.request)) != want })
}

var notName = regexp.MustCompile(`[^A-Za-z0-9]+`)

// plainName makes a name of any text.
func plainName(text string) string {
	text = strings.Trim(notName.ReplaceAllString(text, "-"), "-")
	return strings.Trim(text[:min(len(text), 48)], "-")
}

func nameOf(format, origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return format
	}
	return strings.Trim(format+"-"+plainName(u.Host), "-")
}

// functionName is of method and path, and its own.
func functionName(r profiles.Request, taken map[string]bool) string {
	path, _, _ := strings.Cut(r.Path, "?")
	name := strings.ToLower(strings.Trim(plainName(r.Method+" "+path), "-"))
	return unique(name, taken)
}

// unique adds a number to a name that is taken.
func unique(name string, taken map[string]bool) string {
	own := name
	for n := 2; taken[own]; n++ {
		own = fmt.Sprintf("%s-%d", name, n)
	}
	taken[own] = true
	return own
}

// top is what stands above the profile.
func (d *draft) top(format string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Converted from %s.\n", format)
	if d.told != "" {
		b.WriteString(d.told + "\n")
	}
	for _, s := range d.secrets.all {
		fmt.Fprintf(&b, "  export %s=…    # %s\n", s.Name, s.Of)
	}
	for i, n := range d.notes {
		if i == 0 {
			b.WriteString("Not as it was:\n")
		}
		if i == maxTold {
			fmt.Fprintf(&b, "- and %d more\n", len(d.notes)-maxTold)
			break
		}
		b.WriteString("- " + oneLine(n.Text) + "\n")
	}
	return b.String()
}

// maxTold bounds the notes that are repeated in the profile.
const maxTold = 20

func (d *draft) comments() map[string]string {
	phases := "A guess, as nothing told how often: --rate and --duration, or change it here."
	switch {
	case d.calm != nil:
		phases = ""
	case d.options.Rate != "":
		phases = "As --rate and --duration had it."
	}
	return map[string]string{
		"phases":   phases,
		"arrivals": "As recorded; --rate in their place makes a constant rate of it.",
	}
}

// oneLine is text fit for a comment.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == '\ufffd' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
}
