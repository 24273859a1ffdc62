package node

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"edgebench/target/httpwire"
	"edgebench/target/pool"
	"edgebench/target/reactor"
	"edgebench/target/worker"
)

const textType = "text/plain; charset=utf-8"

var okBody = []byte("ok\n")

const pingPath = "/ping"

func pong() httpwire.Response { return httpwire.Response{Type: textType, Body: okBody} }

func plain(status int, text string) httpwire.Response {
	return httpwire.Response{Status: status, Type: textType, Body: []byte(text)}
}

// Serve is the reactor's handler.
func (n *Node) Serve(req *httpwire.Request, t reactor.Ticket) (httpwire.Response, bool) {
	switch string(req.Path()) {
	case pingPath:
		return pong(), false
	case "/stats":
		return httpwire.Response{Type: "application/json", Body: n.stats()}, false
	case "/metrics":
		return n.serveMetrics(req), false
	case "/events":
		return n.serveEvents(req), false
	}
	if len(req.Body) > worker.MaxBody {
		return plain(413, "body of "+strconv.Itoa(len(req.Body))+" bytes: a worker takes at most "+strconv.Itoa(worker.MaxBody)+"\n"), false
	}
	service := n.law() // drawn in any case, so that who asks shifts nobody else's
	if asked := req.Header("x-service"); asked != nil {
		var err error
		if service, err = askedService(asked); err != nil {
			return plain(400, err.Error()+"\n"), false
		}
	}
	x := n.calls.open(t, service, req.Body)
	n.obey(n.pool.Arrive(n.now(), x.id))
	return httpwire.Response{}, true
}

// mostAsked bounds the service time a request may ask for.
const mostAsked = time.Hour

// askedService reads the header X-Service: a duration with its unit, 0s to 1h.
func askedService(text []byte) (time.Duration, error) {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 || d > mostAsked {
		return 0, fmt.Errorf("X-Service %.40q: want a duration from 0s to %v, for example 250ms", text, mostAsked)
	}
	return d, nil
}

// Cancel is the reactor telling of a client that left. One that has only ended
// its sending may still read, and gets its answer.
func (n *Node) Cancel(t reactor.Ticket, gone bool) {
	if !gone {
		return
	}
	x := n.calls.find(t)
	if x == nil {
		return
	}
	n.obey(n.pool.Advance(n.now())) // tells the pool the time
	if n.pool.Cancel(x.id) {
		n.calls.close(x)
	}
}

// reject answers an invocation that will have no worker.
func (n *Node) reject(x *call, why pool.Reason) {
	n.errors[why.String()]++
	header := httpwire.AppendHeader(nil, "X-Error", why.String())
	header = httpwire.AppendHeaderInt(header, "Retry-After", 1)
	n.reactor.Complete(x.ticket, httpwire.Response{
		Status: 503, Type: textType, Header: header, Body: []byte("no worker for this request: " + why.String() + "\n"),
	})
	n.calls.close(x)
}

// parameter looks up a query parameter; it does not decode, since the values
// asked for are numbers.
func parameter(query, name string) (value string, given bool) {
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if key == name {
			return value, true
		}
	}
	return "", false
}
