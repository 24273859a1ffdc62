package experiment

import (
	"fmt"
	"math"
	"strings"
	"time"

	"edgebench/loadgen/engine"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// assumedResponse stands in for the response time of a target nobody has measured.
const assumedResponse = time.Second

// mostWarmed bounds the connections opened before a run to a target of somebody
// else's: more come when they are needed.
const mostWarmed = 64

// mostSecured is the same for https: a TLS handshake in the middle of a run
// costs the generator time that its requests then miss, so all that will be
// needed are opened, within reason: about a millisecond of CPU each.
const mostSecured = 1000

// A Need is how many connections a schedule keeps busy at its highest rate, by
// Little's law.
type Need struct {
	Connections int
	Peak        float64       // requests/s
	Response    time.Duration // the response time it was computed with
	Assumed     bool          // the response time is a guess
}

// ConnectionsFor computes the need of a profile.
func ConnectionsFor(p *profiles.Profile, s *arrival.Schedule) Need {
	n := Need{Peak: engine.Peak(s.Phases()), Response: assumedResponse, Assumed: true}
	if b := p.Target.Bundled; b != nil {
		n.Response, n.Assumed = service(p, s)+b.Miss.After, false
	}
	n.Connections = int(math.Ceil(n.Peak * n.Response.Seconds() * (1 - 1e-9))) // so that exact products stay whole
	return n
}

// service is the mean service time of the node over the functions, by their share.
func service(p *profiles.Profile, s *arrival.Schedule) time.Duration {
	mean := p.Target.Bundled.Service.Mean
	if len(s.Functions()) == 0 {
		return mean
	}
	var sum float64
	for _, f := range p.Asked(s) {
		if f.Service == 0 {
			f.Service = mean
		}
		sum += f.Share * f.Service.Seconds()
	}
	return time.Duration(sum * 1e9).Round(time.Microsecond)
}

func (n Need) String() string {
	basis := "service time plus the wait before a one-off"
	if n.Assumed {
		basis = "an assumed response time"
	}
	return fmt.Sprintf("about %d connections in use at the peak of %.4g requests/s (Little's law with %v, %s)", n.Connections, n.Peak, n.Response, basis)
}

// warmed is how many connections to open before the first request: those the
// profile asks for, else those it will need.
func warmed(p *profiles.Profile, s *arrival.Schedule) int {
	if p.Connections > 0 {
		return p.Connections
	}
	n := max(1, ConnectionsFor(p, s).Connections)
	if strings.HasPrefix(p.Target.URL, "https:") {
		n = min(n, mostSecured)
	} else if p.Target.Bundled == nil {
		n = min(n, mostWarmed)
	}
	if p.MaxInFlight > 0 {
		n = min(n, p.MaxInFlight)
	}
	return n
}
