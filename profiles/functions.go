package profiles

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"edgebench/profiles/arrival"
)

// ServiceHeader asks the bundled node for a service time of this request's own,
// a duration such as 250ms. It is sent where a function has a Service.
const ServiceHeader = "X-Service"

const (
	maxFunctions = 100_000
	maxWeight    = 1e9
)

// How arrivals are divided among functions.
const (
	SharedStreams = "shared" // one stream, each arrival given to a function by lot
	OwnStreams    = "own"    // the law for every function apart, at its share of the rate
)

// A Function is one of several that a run calls.
type Function struct {
	Name    string        // letters, digits, '.', '_', '-'; its own among functions
	Weight  float64       // share of the arrivals, relative to the others' weights; > 0 [1]
	Service time.Duration // asked of the node by ServiceHeader; 0 = not asked [0]
	Request Request       // what is sent: the profile's request with this function's keys over it
}

// Requests is what is sent for each function of a schedule, in the order of
// Sample.Function: one request where there is one function. The requests are
// complete, ServiceHeader included.
func (p *Profile) Requests(s *arrival.Schedule) []Request {
	functions := s.Functions()
	if len(functions) == 0 {
		return []Request{p.Request}
	}
	requests, named := make([]Request, len(functions)), p.functionNamed()
	for i, f := range p.Asked(s) {
		requests[i] = p.Request
		if own := named(f.Name); own != nil {
			requests[i] = own.Request
		}
		if f.Service > 0 {
			requests[i] = requests[i].asking(f.Service)
		}
	}
	return requests
}

// Asked is the functions of a schedule with the service time that is asked of
// each: the profile's own word counts before what a trace knows.
func (p *Profile) Asked(s *arrival.Schedule) []arrival.Function {
	functions, named := slices.Clone(s.Functions()), p.functionNamed()
	for i := range functions {
		if own := named(functions[i].Name); own != nil && own.Service > 0 {
			functions[i].Service = own.Service
		}
	}
	return functions
}

// functionNamed finds what the profile says of a function of the schedule. A
// trace's functions are named by the end of their key, owner/app/function.
func (p *Profile) functionNamed() func(name string) *Function {
	named := make(map[string]*Function, len(p.Functions))
	for i := range p.Functions {
		named[p.Functions[i].Name] = &p.Functions[i]
	}
	return func(name string) *Function { return named[name[strings.LastIndexByte(name, '/')+1:]] }
}

// asking adds the header, unless the profile's headers have one already.
func (r Request) asking(service time.Duration) Request {
	h := Header{Name: ServiceHeader, Value: formatDuration(service)}
	h.Line = h.Name + ": " + h.Value
	for _, given := range r.Headers {
		if strings.EqualFold(given.Name, h.Name) {
			return r
		}
	}
	r.Headers = append(slices.Clip(r.Headers), h)
	return r
}

// functions reads the list of functions, each over the request of the profile.
func (d *decoder) functions(o *object, p *Profile) {
	v, ok := o.field("functions")
	streams, hasStreams := o.field("streams")
	switch {
	case !ok && hasStreams:
		streams.fault("there are no functions to divide the arrivals among")
		return
	case !ok:
		return
	}
	p.Streams = SharedStreams
	if hasStreams {
		streams.choice(&p.Streams, SharedStreams, OwnStreams)
	}
	items, ok := v.list()
	if !ok {
		return
	}
	switch {
	case len(items) == 0:
		v.fault("no functions: leave the key out where there is one, with the request of the profile")
		return
	case len(items) > maxFunctions:
		v.fault("%d functions are more than %d", len(items), maxFunctions)
		return
	}
	first := make(map[string]int, len(items))
	p.Functions = make([]Function, len(items))
	for i, item := range items {
		f := &p.Functions[i]
		at := d.function(item, f, p.Request)
		if j, twice := first[f.Name]; twice && f.Name != "" {
			at.fault("%q is the name of functions[%d] too", f.Name, j)
			continue
		}
		first[f.Name] = i
	}
}

// function reads one function and tells where its name stands.
func (d *decoder) function(v value, dst *Function, base Request) (name value) {
	*dst = Function{Weight: 1, Request: base}
	o, ok := v.object()
	if !ok {
		return v
	}
	if name, ok = o.required("name"); ok && name.text(&dst.Name) && !namePattern.MatchString(dst.Name) {
		name.fault("%q: a function's name is letters, digits, '.', '_' and '-', at most 64 of them", clip(dst.Name))
	}
	if v, ok := o.field("weight"); ok && v.number(&dst.Weight) && !(dst.Weight > 0 && dst.Weight <= maxWeight) {
		v.fault("%v is not above 0 and at most %g: a weight is a share of the arrivals, relative to the others", dst.Weight, float64(maxWeight))
	}
	o.duration("service", &dst.Service, 1, arrival.MaxLength)
	if path := d.request(o, &dst.Request); path.text != "" {
		dst.Request.Path = path.text
	}
	o.close()
	return name
}

// functionTree writes every function's request in full.
func functionTree(functions []Function, base Request) *yaml.Node {
	list := sequence()
	for _, f := range functions {
		n := tree("name", word(f.Name), "weight", number(strconv.FormatFloat(f.Weight, 'g', -1, 64)))
		if f.Service > 0 {
			add(n, "service", word(formatDuration(f.Service)))
		}
		add(n, "request", f.Request.treeOver(base))
		list.Content = append(list.Content, n)
	}
	return list
}
