package experiment

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"

	"edgebench/loadgen/preflight"
	"edgebench/loadgen/request"
	"edgebench/profiles"
)

// Preflight takes one look at a target of somebody else's, with one connection
// and at most one request. The error is ErrUnreachable, also of a target that
// speaks another protocol. A target behind a proxy or a name server of its own
// is not looked at.
func Preflight(ctx context.Context, p *profiles.Profile) error {
	way := p.Target.Way
	if p.Target.Bundled != nil || way.Proxy != "" || way.NameServer != "" {
		return nil
	}
	u, err := url.Parse(p.Target.URL)
	if err != nil {
		return marked{err, ErrUsage}
	}
	network, address := firstHop(request.Address(u), way)
	var dialer net.Dialer
	err = preflight.Look(ctx, preflight.Target{
		Dial:       func(ctx context.Context) (net.Conn, error) { return dialer.DialContext(ctx, network, address) },
		URL:        p.Redacted().Target.URL,
		Host:       request.HostHeader(u.Host),
		TLS:        u.Scheme == "https",
		ServerName: u.Hostname(),
	})
	if err != nil {
		return marked{err, ErrUnreachable}
	}
	return nil
}

// firstHop is what the way of a profile connects to.
func firstHop(address string, way profiles.Way) (network, hop string) {
	network, hop = "tcp", address
	switch way.Family {
	case 4:
		network = "tcp4"
	case 6:
		network = "tcp6"
	}
	switch {
	case way.UnixSocket != "":
		return "unix", way.UnixSocket
	case way.ConnectTo != "":
		hop = way.ConnectTo
	case len(way.Resolve) > 0:
		_, port, _ := net.SplitHostPort(address)
		hop = net.JoinHostPort(strings.Trim(way.Resolve[0], "[]"), port)
	}
	return network, hop
}

// lookAtTarget is the look before a run. That a target cannot be reached at all
// is left to the transport, which knows every way and address to try.
func (r *run) lookAtTarget(ctx context.Context) error {
	if r.NoPreflight {
		return nil
	}
	if err := Preflight(ctx, r.Profile); errors.Is(err, preflight.ErrProtocol) {
		return err
	}
	return nil
}
