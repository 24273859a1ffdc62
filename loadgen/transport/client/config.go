// Package client is the transport for everything but plain HTTP/1.1 over TCP:
// TLS with its certificates, HTTP proxies, Unix sockets, name servers. It puts
// a request on the wire at most once: whatever happens to a connection,
// nothing is ever sent again.
//
// Connections are opened by goroutines (name, address, proxy, TLS handshake:
// all of that may wait) and then belong to the shard's event loop, which waits
// on its own poller. So the pacing is that of the epoll transport, and a
// request is sent by the thread that decided to send it. Responses are read by
// the same parser, which is fasthttp's. fasthttp's own Client and HostClient
// are not used: they send again what failed, hide when a connection was ready,
// and need a goroutine a request, which is as late as the scheduler is.
//
// A request takes the idle connection used last. Without one it waits for a
// connect or for another connection to become free, whichever comes first;
// that wait shows as lag, because sent is the instant its first byte is handed
// over on an established connection. The sent instant of a request whose
// connect fails is that of the connect, and its class is the stage that
// failed: dns, refused or connect (which the proxy belongs to), tls.
package client

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"edgebench/loadgen/transport"
)

// Limits on a response where Config gives none.
const (
	DefaultHeaderLimit = 64 << 10 // bytes
	DefaultBodyLimit   = 1 << 30  // bytes
)

// Config says where requests go, by which way, and who makes them.
type Config struct {
	Address string // host:port as in the URL; may be empty with Socket
	Sources transport.Sources
	TLS     *TLS // nil for plain text

	// Ways other than the address of Address's host. A name, certificate or
	// Host header stays that of Address and the requests.
	Socket    string       // path of a Unix socket; one that begins with @ is abstract
	Proxy     string       // http://[user:password@]host:port, asked for a tunnel by CONNECT whatever the target speaks
	ConnectTo string       // host:port to connect to, or to ask the proxy for
	Resolve   []netip.Addr // addresses of the host to connect to, instead of a lookup

	Family     Family        // restricts the addresses used
	NameServer string        // host:port of the name server; empty for the system's
	DNSTTL     time.Duration // how long an answer is used; 0 means for the whole run

	ConnectTimeout time.Duration // for name, address, proxy and handshake together; > 0
	HeaderLimit    int           // bytes of a response's header; 0 means DefaultHeaderLimit
	BodyLimit      int64         // bytes of a response's body; 0 means DefaultBodyLimit
	ColdHeader     string        // response header that marks a cold start (true or false); empty for none
	OneRequest     bool          // a connection is closed after its first response
}

// A Family restricts addresses.
type Family uint8

// Families. Any prefers the one the resolver puts first (RFC 6724) and falls
// back to the other.
const (
	AnyFamily Family = iota
	IPv4
	IPv6
)

// TLS says how the peer and we identify ourselves.
type TLS struct {
	ServerName string // in the handshake and in the certificate; empty means Address's host
	CAFile     string // PEM, trusted instead of the system's roots; empty for those
	CertFile   string // PEM, our certificate with its chain; empty for none
	KeyFile    string // PEM, the key of CertFile
	Insecure   bool   // the peer's certificate is not verified
}

// Validate reports every fault at once. It reads no file and asks no name
// server.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if c.Address != "" || c.Socket == "" {
		if _, _, err := split(c.Address); err != nil {
			fault("address %q: %w", c.Address, err)
		}
	}
	if c.Sources == nil {
		faults = append(faults, transport.ErrNoRequests)
	}
	if c.ConnectTimeout <= 0 {
		fault("connect timeout %v: must be above 0", c.ConnectTimeout)
	}
	if c.HeaderLimit < 0 || c.BodyLimit < 0 {
		fault("limits of %d header and %d body bytes: must not be negative", c.HeaderLimit, c.BodyLimit)
	}
	faults = append(faults, c.validateWay()...)
	if c.TLS != nil {
		faults = append(faults, c.validateTLS()...)
	}
	return errors.Join(faults...)
}

// validateWay checks how the target is reached.
func (c Config) validateWay() (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for _, way := range []struct{ name, value string }{{"connect to", c.ConnectTo}, {"name server", c.NameServer}} {
		if way.value == "" {
			continue
		}
		if _, _, err := split(way.value); err != nil {
			fault("%s %q: %w", way.name, way.value, err)
		}
	}
	if c.Proxy != "" {
		if _, _, err := parseProxy(c.Proxy); err != nil {
			faults = append(faults, err)
		}
	}
	if len(c.Socket) > maxSocketPath {
		fault("unix socket %q: longer than %d bytes", c.Socket, maxSocketPath)
	}
	if c.Socket != "" && (c.Proxy != "" || c.ConnectTo != "" || len(c.Resolve) > 0) {
		fault("unix socket %q: goes with no proxy, connect to or resolve", c.Socket)
	}
	if c.Proxy != "" && len(c.Resolve) > 0 {
		fault("resolve %v: the proxy looks names up itself; use connect to", c.Resolve)
	}
	for _, addr := range c.Resolve {
		if !addr.IsValid() || !c.Family.has(addr) {
			fault("resolve %v: no address of the family asked for", addr)
		}
	}
	if c.Family > IPv6 {
		fault("family %d: unknown", c.Family)
	}
	if c.DNSTTL < 0 {
		fault("dns ttl %v: must not be negative", c.DNSTTL)
	}
	return faults
}

func (c Config) validateTLS() (faults []error) {
	if (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") {
		faults = append(faults, fmt.Errorf("certificate file %q with key file %q: one needs the other", c.TLS.CertFile, c.TLS.KeyFile))
	}
	if c.TLS.Insecure && c.TLS.CAFile != "" {
		faults = append(faults, fmt.Errorf("ca file %q: not used when the certificate is not verified", c.TLS.CAFile))
	}
	if c.Address == "" && c.TLS.ServerName == "" && !c.TLS.Insecure {
		faults = append(faults, errors.New("no server name to verify the certificate by"))
	}
	return faults
}

// maxSocketPath is what sockaddr_un holds beside its terminating zero (unix(7)).
const maxSocketPath = 107

// has reports whether an address is of the family.
func (f Family) has(a netip.Addr) bool {
	return f == AnyFamily || a.Unmap().Is4() == (f == IPv4)
}

// split takes host:port apart.
func split(address string) (host string, port uint16, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		if reason := (*net.AddrError)(nil); errors.As(err, &reason) {
			err = errors.New(reason.Err) // the address is named by the caller
		}
		return "", 0, err
	}
	if host == "" || strings.ContainsAny(host, "/?#@ ") {
		return "", 0, errors.New("no host name")
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return "", 0, fmt.Errorf("port %q: want 1 to 65535", text)
	}
	return host, uint16(n), nil
}

// parseProxy takes the URL of a proxy apart. Its errors do not repeat the
// text: it may hold a password, and an unreadable one at any place.
func parseProxy(text string) (address string, user *url.Userinfo, err error) {
	form := errors.New("proxy: want http://[user:password@]host:port")
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return "", nil, form
	}
	if _, _, err := split(u.Host); err != nil {
		return "", nil, form
	}
	return u.Host, u.User, nil
}
