package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"

	"edgebench/loadgen/engine"
	"edgebench/loadgen/request"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/client"
	"edgebench/loadgen/transport/epoll"
	"edgebench/profiles"
)

// A way is the transport chosen for a run.
type way struct {
	name, reason string
	open         engine.Open
	facts        func(limits map[string]any) // what it learnt on its way
}

// chooseTransport tells which transport a target needs, and why. The fast path
// is taken whenever it can do what is asked.
func chooseTransport(secure bool, w profiles.Way) (name, reason string) {
	special := w.Special()
	switch {
	case w.Transport != "":
		return w.Transport, "asked for by target.transport"
	case secure:
		return "client", "the url is https"
	case special != "":
		return "client", "target." + special + " is set"
	}
	return "epoll", "plain HTTP over TCP"
}

// prepareWay makes the transport for the requests.
func prepareWay(ctx context.Context, to *request.Set, p *profiles.Profile) (*way, error) {
	w := &way{}
	w.name, w.reason = chooseTransport(to.Secure, p.Target.Way)
	if w.name == "epoll" {
		target, err := epoll.Prepare(ctx, epoll.Config{
			Address: to.Address, Sources: to.Sources, ConnectTimeout: p.Request.Timeout, ColdHeader: p.Cold.Header,
		})
		if err != nil {
			return nil, unprepared(err)
		}
		w.open = target.Open
		w.facts = func(limits map[string]any) { limits["address"] = target.Address().String() }
		return w, nil
	}
	target, err := client.Prepare(ctx, clientConfig(to, p))
	if err != nil {
		return nil, unprepared(err)
	}
	w.open = target.Open
	w.facts = func(limits map[string]any) { clientFacts(limits, target) }
	return w, nil
}

// clientConfig says how the client transport reaches where requests go.
func clientConfig(to *request.Set, p *profiles.Profile) client.Config {
	way := p.Target.Way
	c := client.Config{
		Address: to.Address, Sources: to.Sources,
		Socket: way.UnixSocket, Proxy: way.Proxy, ConnectTo: way.ConnectTo,
		NameServer: way.NameServer, DNSTTL: way.DNSTTL, ConnectTimeout: cmp.Or(way.ConnectTimeout, p.Request.Timeout),
		ColdHeader: p.Cold.Header, OneRequest: way.OneRequest,
	}
	switch way.Family {
	case 4:
		c.Family = client.IPv4
	case 6:
		c.Family = client.IPv6
	}
	for _, text := range way.Resolve {
		if addr, err := netip.ParseAddr(text); err == nil { // the profile was checked
			c.Resolve = append(c.Resolve, addr)
		}
	}
	if to.Secure {
		t := way.TLS
		c.TLS = &client.TLS{ServerName: t.ServerName, CAFile: t.CA, CertFile: t.Cert, KeyFile: t.Key, Insecure: t.Insecure}
	}
	return c
}

// clientFacts is what the manifest tells of the way that was gone.
func clientFacts(limits map[string]any, target *client.Target) {
	limits["address"] = target.String()
	addresses := []map[string]any{}
	for _, peer := range target.Peers() {
		addresses = append(addresses, map[string]any{"address": peer.Address.String(), "connects": peer.Connects})
	}
	limits["addresses"] = addresses
	sessions := []map[string]any{}
	for _, s := range target.Sessions() {
		sessions = append(sessions, map[string]any{"version": s.Version, "cipher": s.Cipher, "connects": s.Connects})
	}
	if len(sessions) > 0 {
		limits["tls"] = sessions
	}
}

// unprepared tells apart settings that will not do from a host that cannot be
// found.
func unprepared(err error) error {
	if errors.Is(err, transport.ErrConfig) {
		return marked{err, ErrUsage}
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}
