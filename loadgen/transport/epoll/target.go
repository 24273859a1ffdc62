// Package epoll is the transport for plain HTTP/1.1: one event loop a shard
// over non-blocking sockets, one request at a time on a connection. It puts a request on the wire at most once: whatever
// happens to a connection, nothing is ever sent again.
//
// A request takes the idle connection used last. Without one it waits for a
// connect or for another connection to become free, whichever comes first;
// that wait shows as lag, because sent is the instant its first byte is handed
// to the kernel. The sent instant of a request whose connect fails is that of
// the connect.
package epoll

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/loadgen/transport"
)

// Limits on a response where Config gives none.
const (
	DefaultHeaderLimit = 64 << 10 // bytes
	DefaultBodyLimit   = 1 << 30  // bytes
)

// Config says where requests go and who makes them.
type Config struct {
	Address string // host:port; a name is resolved once, by Prepare
	Sources transport.Sources

	ConnectTimeout time.Duration // > 0
	HeaderLimit    int           // bytes of a response's header; 0 means DefaultHeaderLimit
	BodyLimit      int64         // bytes of a response's body; 0 means DefaultBodyLimit
	ColdHeader     string        // response header that marks a cold start (true or false); empty for none
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var faults []error
	if c.Address == "" {
		faults = append(faults, errors.New("no address"))
	}
	if c.Sources == nil {
		faults = append(faults, transport.ErrNoRequests)
	}
	if c.ConnectTimeout <= 0 {
		faults = append(faults, fmt.Errorf("connect timeout %v: must be above 0", c.ConnectTimeout))
	}
	if c.HeaderLimit < 0 || c.BodyLimit < 0 {
		faults = append(faults, fmt.Errorf("limits of %d header and %d body bytes: must not be negative", c.HeaderLimit, c.BodyLimit))
	}
	return errors.Join(faults...)
}

// A Target opens transports, one a shard, that all send to one address.
type Target struct {
	config  Config
	address netip.AddrPort
}

// Prepare checks the configuration and resolves its address.
func Prepare(ctx context.Context, c Config) (*Target, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", transport.ErrConfig, err)
	}
	if c.HeaderLimit == 0 {
		c.HeaderLimit = DefaultHeaderLimit
	}
	if c.BodyLimit == 0 {
		c.BodyLimit = DefaultBodyLimit
	}
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", c.Address, err)
	}
	number, err := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", c.Address, err)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", c.Address, err)
	}
	t := &Target{config: c, address: netip.AddrPortFrom(addrs[0].Unmap(), uint16(number))}
	if _, _, err := t.sockaddr(); err != nil {
		return nil, fmt.Errorf("address %q: %w", c.Address, err)
	}
	return t, nil
}

// Address is what the name of the configuration resolved to.
func (t *Target) Address() netip.AddrPort { return t.address }

// sockaddr is the address as the kernel takes it, with its family.
func (t *Target) sockaddr() (family int, peer unix.Sockaddr, err error) {
	addr, port := t.address.Addr(), int(t.address.Port())
	if addr.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: port, Addr: addr.As4()}, nil
	}
	a := &unix.SockaddrInet6{Port: port, Addr: addr.As16()}
	if zone := addr.Zone(); zone != "" {
		if a.ZoneId, err = zoneNumber(zone); err != nil {
			return 0, nil, err
		}
	}
	return unix.AF_INET6, a, nil
}

// zoneNumber is the number of an interface, given by name or number.
func zoneNumber(zone string) (uint32, error) {
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n), nil
	}
	nic, err := net.InterfaceByName(zone)
	if err != nil {
		return 0, fmt.Errorf("zone %q: no such network interface", zone)
	}
	return uint32(nic.Index), nil
}

// Open makes the transport of one shard, with its connections warmed. It is an
// error when not even one of those asked for came to be.
func (t *Target) Open(ctx context.Context, o transport.Options) (transport.Transport, error) {
	tr, err := newTransport(t, o)
	if err != nil {
		return nil, err
	}
	if err := tr.warm(ctx, o.Warm); err != nil {
		tr.Close()
		return nil, err
	}
	return tr, nil
}
