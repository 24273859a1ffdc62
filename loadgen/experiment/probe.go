package experiment

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"time"

	"edgebench/loadgen/probe"
	"edgebench/loadgen/request"
	"edgebench/profiles"
)

// ProbeOptions bound a probe.
type ProbeOptions struct {
	Warm   int
	Idle   []time.Duration
	Notice func(string)
}

// Probe sends the profile's request a few times, as a run would.
func Probe(ctx context.Context, p *profiles.Profile, o ProbeOptions) (*probe.Report, error) {
	way := p.Target.Way
	if way.Proxy != "" || way.NameServer != "" {
		return nil, marked{errors.New("a target behind a proxy, or a name server of its own, cannot be probed"), ErrUsage}
	}
	u, err := url.Parse(p.Target.URL)
	if err != nil {
		return nil, marked{errors.New("target.url: not a url"), ErrUsage} // its text may hold a password
	}
	schedule, err := p.Schedule()
	if err != nil {
		return nil, err
	}
	requests, err := compile(p, schedule, p.Target.URL, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	network, address := firstHop(request.Address(u), way)
	c := probe.Config{Profile: p, Requests: requests, Warm: o.Warm, Idle: o.Idle, Notice: o.Notice}
	c.Dial = func(ctx context.Context) (net.Conn, error) {
		dialer := net.Dialer{Timeout: p.Request.Timeout}
		return dialer.DialContext(ctx, network, address)
	}
	if requests.Secure {
		config, err := clientConfig(requests, p).TLS.Config(u.Hostname())
		if err != nil {
			return nil, marked{err, ErrUsage}
		}
		c.TLS = &probe.Handshake{Config: config}
	}
	report, err := probe.Run(ctx, c)
	if err != nil && ctx.Err() == nil {
		err = marked{err, ErrUnreachable}
	}
	return report, err
}
