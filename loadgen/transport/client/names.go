package client

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// names knows the addresses of the one host that is connected to. It is shared
// by all connects of all shards; one of them asks, the others wait for it.
type names struct {
	host     string
	port     uint16
	family   Family
	ttl      time.Duration
	resolver *net.Resolver
	gate     chan struct{} // holds one token; whoever has it may use what follows

	answer []netip.AddrPort
	until  time.Time // the answer's end; zero for never
	turn   int
}

func newNames(host string, port uint16, c Config) *names {
	n := &names{host: host, port: port, family: c.Family, ttl: c.DNSTTL, resolver: net.DefaultResolver, gate: make(chan struct{}, 1)}
	if c.NameServer != "" {
		n.resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, c.NameServer)
		}}
	}
	for _, addr := range c.Resolve {
		n.answer = append(n.answer, netip.AddrPortFrom(addr.Unmap(), port))
	}
	n.gate <- struct{}{}
	return n
}

// addresses are those to try, in order, and the time a lookup took, 0 without
// one. Connects take turns among the addresses of the first one's family; the
// others are there in case those fail.
func (n *names) addresses(ctx context.Context) ([]netip.AddrPort, time.Duration, error) {
	select {
	case <-n.gate:
	case <-ctx.Done():
		return nil, 0, &net.DNSError{Err: ctx.Err().Error(), Name: n.host, IsTimeout: true}
	}
	defer func() { n.gate <- struct{}{} }()
	took, err := n.refresh(ctx)
	if err != nil {
		return nil, 0, err
	}
	n.turn++
	return inTurn(n.answer, n.turn-1), took, nil
}

// refresh makes the answer one that may be used, and tells the time of the
// lookup. Its caller has the token, or nobody else knows of n yet.
func (n *names) refresh(ctx context.Context) (took time.Duration, err error) {
	began := time.Now()
	if n.answer != nil && (n.until.IsZero() || began.Before(n.until)) {
		return 0, nil
	}
	if n.answer, err = n.ask(ctx); err != nil {
		return 0, err
	}
	if n.ttl > 0 {
		n.until = time.Now().Add(n.ttl)
	}
	return max(time.Since(began), 1), nil
}

func (n *names) ask(ctx context.Context) ([]netip.AddrPort, error) {
	found, err := n.resolver.LookupNetIP(ctx, "ip", n.host)
	if err != nil {
		return nil, err
	}
	var answer []netip.AddrPort
	for _, addr := range found {
		if addr = addr.Unmap(); n.family.has(addr) {
			answer = append(answer, netip.AddrPortFrom(addr, n.port))
		}
	}
	if answer == nil {
		return nil, &net.DNSError{Err: fmt.Sprintf("none of the addresses %v is of the family asked for", found), Name: n.host, IsNotFound: true}
	}
	return answer, nil
}

// inTurn puts the turn-th address of the first family first.
func inTurn(all []netip.AddrPort, turn int) []netip.AddrPort {
	var preferred, others []netip.AddrPort
	for _, a := range all {
		if a.Addr().Is4() == all[0].Addr().Is4() {
			preferred = append(preferred, a)
		} else {
			others = append(others, a)
		}
	}
	k := turn % len(preferred)
	ordered := append(preferred[k:len(preferred):len(preferred)], preferred[:k]...)
	return append(ordered, others...)
}
