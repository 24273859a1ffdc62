// Package request makes the bytes of requests from what a profile says of them:
// once for a function whose requests are all the same, else one by one into a
// buffer that is used again. What a request holds follows from the seed and its
// index in the schedule, so it is the same for any number of shards. It decides
// which headers are added, and refuses, all faults at once, files and variables
// that are not there.
//
// It reads files and the environment by the functions it is given, and only
// while compiling. A signature holds the time, so it is made when a request is
// sent; one of a request that is always the same is used for a second.
package request

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/response"
	"edgebench/profiles"
)

// Limits on what is read, in bytes.
const (
	MaxBody = 64 << 20  // a body
	MaxCSV  = 256 << 20 // a CSV file
)

// Config says what to make.
type Config struct {
	Requests   []profiles.Request // by function, at least one
	Origin     string             // scheme://[userinfo@]host[:port]
	Seed       uint64
	OneRequest bool // a connection is closed after its response, and the server is told so

	Cold profiles.Cold                                 // how a response tells of a cold start
	Read func(name string, most int64) ([]byte, error) // a file, an error when it is larger
	Env  func(name string) (string, bool)
	Now  func() time.Time // for signatures
}

// A Set is all requests of a run.
type Set struct {
	Address string // host:port of the origin
	Secure  bool   // https

	seed     uint64
	now      func() time.Time
	messages []message
}

// A message is what one function's requests are made of.
type message struct {
	request transport.Request // complete when it is always the same
	dynamic *dynamic          // nil then
}

// dynamic is what has to be made anew.
type dynamic struct {
	head   template // request line and headers, up to the length
	body   template
	length bool // the length of the body is announced
	values values
	signer *signer // nil for none
	same   bool    // only the signature changes
}

// Compile checks everything there is to be checked, and reports every fault at
// once. No fault repeats a secret.
func Compile(c Config) (*Set, error) {
	u, err := url.Parse(c.Origin)
	if err != nil || u.Host == "" {
		return nil, errors.New("target url: not scheme://host[:port]") // its text may hold a password
	}
	s := &Set{Address: Address(u), Secure: u.Scheme == "https", seed: c.Seed, now: c.Now}
	b := builder{Config: c, origin: u, tables: map[string]*table{}, bodies: map[string][]byte{}, expectations: map[string]*response.Expectation{}, instances: new(response.Instances)}
	for i, r := range c.Requests {
		b.key = "request"
		if len(c.Requests) > 1 {
			b.key = fmt.Sprintf("functions[%d].request", i)
		}
		s.messages = append(s.messages, b.message(r))
		if len(b.faults) > maxFaults {
			break // as many functions may share one fault
		}
	}
	return s, errors.Join(b.faults...)
}

// maxFaults bounds the faults of many functions.
const maxFaults = 20

// A builder compiles one function after the other. What they share is read once.
type builder struct {
	Config
	origin       *url.URL
	tables       map[string]*table
	bodies       map[string][]byte
	expectations map[string]*response.Expectation
	instances    *response.Instances
	key          string // of the request at hand, for faults
	faults       []error
}

func (b *builder) fault(key, format string, args ...any) {
	b.faults = append(b.faults, &Fault{b.key + "." + key, fmt.Errorf(format, args...)})
}

// A Fault is what is wrong with the value of a key of a profile; Compile joins all.
type Fault struct {
	Key string
	Err error
}

func (f *Fault) Error() string { return f.Key + ": " + f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// message compiles one request.
func (b *builder) message(r profiles.Request) message {
	d := &dynamic{values: values{seed: b.Seed, counter: r.Counter}}
	if r.CSV.File != "" {
		d.values.table = b.table(r.CSV)
		if d.values.table != nil && r.CSV.Shuffle {
			d.values.order = shuffled(d.values.table.rows, b.Seed)
		}
	}
	body := b.body(r.Body)
	d.body = b.template("body", body, asIs, &d.values)
	d.length = announced(r.Method, len(body) > 0)
	d.head = b.head(r, d)
	if r.Auth.SigV4 != nil {
		d.signer = b.signer(r.Auth.SigV4)
	}
	m := message{request: transport.Request{Timeout: r.Timeout, Expect: b.expectation(r)}}
	if len(b.faults) > 0 {
		return m
	}
	constant := d.head.constant() && d.body.constant()
	if constant && d.signer == nil {
		var w writer
		m.request.Bytes, m.request.Lasting = w.write(d, transport.Ticket{}, b.Now), true
		return m
	}
	d.same = constant
	m.dynamic = d
	return m
}

// head is the request line and the headers: those given, as given and in their
// order, and Host, Authorization, User-Agent, Connection where none is given.
func (b *builder) head(r profiles.Request, d *dynamic) template {
	t := literal(r.Method + " ")
	path := parts(b, "path", r.Path, true)
	for i := range path { // a path is encoded as a whole, names of columns too
		if name, err := url.PathUnescape(path[i].Name); err == nil {
			path[i].Name = name
		}
	}
	t = append(t, b.template("path", path, inPath, &d.values)...)
	t = append(t, literal(" HTTP/1.1\r\n")...)
	given := make(map[string]bool, len(r.Headers))
	for _, h := range r.Headers {
		given[strings.ToLower(h.Name)] = true
	}
	if !given["host"] {
		t = append(t, literal("Host: "+HostHeader(b.origin.Host)+"\r\n")...)
	}
	switch {
	case !given["authorization"]:
		t = append(t, literal(b.authorization(r.Auth))...)
	case r.Auth != (profiles.Auth{}):
		b.fault("auth", "headers has Authorization too: give one of them")
	}
	for i, h := range r.Headers {
		key := fmt.Sprintf("headers[%d]", i)
		t = append(t, b.template(key, parts(b, key, h.Line, true), inHeader, &d.values)...)
		t = append(t, literal("\r\n")...)
	}
	if !given["user-agent"] {
		t = append(t, literal("User-Agent: loadgen\r\n")...)
	}
	if b.OneRequest && !given["connection"] {
		t = append(t, literal("Connection: close\r\n")...)
	}
	return t.joined()
}

// parts takes a text apart; the profile has checked it.
func parts(b *builder, key, text string, secrets bool) []profiles.Part {
	all, err := profiles.ParseTemplate(text, secrets)
	if err != nil {
		b.fault(key, "%w", err)
	}
	return all
}

// body is what a body is made of.
func (b *builder) body(body profiles.Body) []profiles.Part {
	whole := func(data []byte) []profiles.Part {
		if len(data) == 0 {
			return nil
		}
		return []profiles.Part{{Text: string(data)}}
	}
	switch {
	case body.File != "":
		data, known := b.bodies[body.File]
		if !known {
			var err error
			if data, err = b.Read(body.File, MaxBody); err != nil {
				b.fault("body.file", "%w", err)
			}
			b.bodies[body.File] = data
		}
		if body.Template {
			return parts(b, "body.file", string(data), false)
		}
		return whole(data)
	case body.Base64 != "":
		data, err := base64.StdEncoding.DecodeString(body.Base64)
		if err != nil {
			b.fault("body.base64", "%w", err)
		}
		return whole(data)
	}
	return parts(b, "body", body.Text, false)
}

// announced: methods with a defined body announce even an empty one (RFC 9110, 8.6).
func announced(method string, hasBody bool) bool {
	switch method {
	case "POST", "PUT", "PATCH":
		return true
	}
	return hasBody
}

// Address is the host:port that a URL of http or https names.
func Address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// HostHeader is a URL's host without the zone of an IPv6 address, which means
// nothing outside this machine (RFC 6874, 4).
func HostHeader(host string) string {
	before, rest, ok := strings.Cut(host, "%")
	_, after, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return host
	}
	return before + "]" + after
}
