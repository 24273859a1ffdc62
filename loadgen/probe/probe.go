// Package probe gets to know an endpoint with a few requests, one after the other:
// what it speaks, how fast it answers warm and after idling, whether it tells of
// cold starts, and what to begin a measurement with. It bounds what it sends
// beforehand and never sends a request twice.
//
// A handful of requests is a first look, not a measurement: what it proposes is
// where to begin, and says what it rests on.
package probe

import (
	"context"
	"fmt"
	"net"
	"time"

	"edgebench/loadgen/request"
	"edgebench/loadgen/transport"
	"edgebench/profiles"
)

// Config says what to probe and how much.
type Config struct {
	Profile  *profiles.Profile
	Requests *request.Set
	Dial     func(context.Context) (net.Conn, error) // a connection without TLS
	TLS      *Handshake                              // nil for plain HTTP

	Warm   int             // requests one after the other, at least 2
	Idle   []time.Duration // pauses, each followed by two requests
	Notice func(string)    // what is going on; nil for nobody
}

// Sends is how many requests the probe sends at most.
func (c Config) Sends() int { return c.Warm + 2*len(c.Idle) }

// A prober is one probe while it goes on.
type prober struct {
	Config
	source transport.Source
	method string
	conn   *connection
	sent   uint64
	report *Report
}

// Run probes. An error means that nothing was learnt; a failed request is part of
// the report.
func Run(ctx context.Context, c Config) (*Report, error) {
	if c.Notice == nil {
		c.Notice = func(string) {}
	}
	p := &prober{Config: c, source: c.Requests.Sources(), method: c.Profile.Request.Method, report: &Report{KeepAlive: true}}
	defer func() { p.conn.close() }()
	if c.TLS != nil {
		c.TLS.offers(ctx, c.Dial, p.report)
	}
	if err := p.connect(ctx); err != nil {
		return nil, err
	}
	p.report.describe(p.conn)
	for i := range c.Warm {
		p.Notice(fmt.Sprintf("request %d of %d", p.sent+1, c.Sends()))
		kind := Warm
		if i == 0 {
			kind = First
		}
		if err := p.ask(ctx, kind, 0); err != nil {
			return nil, err
		}
	}
	for _, pause := range c.Idle {
		if err := p.idle(ctx, pause); err != nil {
			return nil, err
		}
	}
	p.report.conclude(c.Profile)
	return p.report, nil
}

// idle pauses, then sends two requests on a new connection: one may have been
// closed meanwhile, and a request that is lost with it could not be sent again.
func (p *prober) idle(ctx context.Context, pause time.Duration) error {
	p.Notice(fmt.Sprintf("idle for %v, then requests %d and %d of %d", pause, p.sent+1, p.sent+2, p.Sends()))
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	if p.conn.closedByPeer() && (p.report.IdleClosedNS == nil || int64(pause) < *p.report.IdleClosedNS) {
		p.report.IdleClosedNS = new(int64(pause))
	}
	p.conn.close()
	p.conn = nil
	for _, kind := range []Kind{Idle, Warm} {
		if err := p.ask(ctx, kind, pause); err != nil {
			return err
		}
	}
	return nil
}

func (p *prober) connect(ctx context.Context) (err error) {
	p.conn, err = dial(ctx, p.Dial, p.TLS)
	return err
}

// ask sends one request, over the connection there is where it may be used again.
func (p *prober) ask(ctx context.Context, kind Kind, after time.Duration) error {
	if p.conn == nil {
		if err := p.connect(ctx); err != nil {
			return err
		}
	}
	r := p.source.Request(transport.Ticket{Index: p.sent, Scheduled: 0})
	p.sent++
	a := p.conn.exchange(ctx, p.method, r)
	a.Kind, a.AfterNS = kind, int64(after)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.report.Answers = append(p.report.Answers, a)
	if !a.reusable {
		if a.Error == "" {
			p.report.KeepAlive = false
		}
		p.conn.close()
		p.conn = nil
	}
	return nil
}
