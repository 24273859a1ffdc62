package client

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/transporttest"
)

// listenOn listens on a host, at a port if one is given.
func listenOn(t *testing.T, hostPort string, script func(*transporttest.Conn)) *transporttest.Server {
	t.Helper()
	listener, err := net.Listen("tcp", hostPort)
	if err != nil {
		t.Skipf("no %s here: %v", hostPort, err)
	}
	return transporttest.ServeOver(t, transporttest.Medium{Listen: func(testing.TB) net.Listener { return listener }}, script)
}

// asked is a configuration of a name that only the name server knows.
func asked(names *nameServer, port string) Config {
	c := to("host.test:" + port)
	c.NameServer, c.OneRequest = names.address(), true
	return c
}

// C58: two addresses take turns, and are listed with their counts.
func TestTwoAddresses(t *testing.T) {
	t.Parallel()
	server := listenOn(t, "0.0.0.0:0", serveOK)
	names := newNameServer(t, "127.0.0.2", "127.0.0.3")
	d := drive(t, asked(names, port(t, server.Address())), 1, 0)
	for range 6 {
		d.want(rundir.OK)
	}
	var hosts []string
	for _, p := range d.target.Peers() {
		hosts = append(hosts, p.Address.Addr().String())
		if p.Connects != 3 {
			t.Errorf("%d connects to %v", p.Connects, p.Address)
		}
	}
	if slices.Sort(hosts); !slices.Equal(hosts, []string{"127.0.0.2", "127.0.0.3"}) {
		t.Errorf("connected to %v", hosts)
	}
	if stats := d.close(); names.queries.Load() != 1 || stats.Connects != 6 || stats.ResolveTime.N != 0 {
		t.Errorf("asked %d times, %+v", names.queries.Load(), stats)
	}
}

// C58: the answer changes; a connect asks again once the last one is too old.
func TestAnswersExpire(t *testing.T) {
	t.Parallel()
	server := listenOn(t, "0.0.0.0:0", serveOK)
	names := newNameServer(t, "127.0.0.2")
	c := asked(names, port(t, server.Address()))
	c.DNSTTL = time.Nanosecond
	d := drive(t, c, 1, 0)
	d.want(rundir.OK)
	names.say("127.0.0.3")
	d.want(rundir.OK)
	if peers := d.target.Peers(); len(peers) != 2 || d.transport.(*Transport).stats.ResolveTime.N != 2 {
		t.Errorf("%v", peers)
	}
	names.say()
	d.want(rundir.ErrDNS)
	names.say("127.0.0.2")
	d.want(rundir.OK)
}

func TestNameServerIsSilent(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, serveOK)
	names := newNameServer(t, "127.0.0.1")
	c := asked(names, port(t, server.Address()))
	c.DNSTTL = time.Nanosecond
	d := drive(t, c, 1, 0)
	names.mu.Lock()
	names.silent = true
	names.mu.Unlock()
	d.target.dialer.timeout = 50 * time.Millisecond
	d.want(rundir.ErrDNS)
}

func TestNoSuchName(t *testing.T) {
	t.Parallel()
	c := asked(newNameServer(t), "80")
	dns := (*net.DNSError)(nil)
	if _, err := Prepare(t.Context(), c); !errors.As(err, &dns) || !strings.Contains(err.Error(), "host.test") {
		t.Errorf("error %v", err)
	}
	c = asked(newNameServer(t, "127.0.0.1"), "80")
	c.Family = IPv6
	if _, err := Prepare(t.Context(), c); !errors.As(err, &dns) || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("error %v", err)
	}
}

// The other family is there for when the preferred one fails.
func TestFamilies(t *testing.T) {
	t.Parallel()
	six := listenOn(t, "[::1]:0", serveOK)
	n := port(t, six.Address())
	c := to(six.Address())
	drive(t, c, 1, 1).want(rundir.OK)
	c.Resolve = []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}
	c.Address = "host.test:" + n
	d := drive(t, c, 1, 0)
	d.want(rundir.OK)
	if peers := d.target.Peers(); len(peers) != 1 || peers[0].Address.Addr() != netip.IPv6Loopback() {
		t.Errorf("%v", peers)
	}
	if stats := d.close(); stats.Failed != 0 {
		t.Errorf("%+v", stats)
	}
	c.Resolve = c.Resolve[:1]
	drive(t, c, 1, 0).want(rundir.ErrRefused)
}

// An address that does not even refuse keeps the next one from being tried
// only for a moment.
func TestSilentAddress(t *testing.T) {
	t.Parallel()
	server := listenOn(t, "127.0.0.2:0", serveOK)
	c := to("host.test:" + port(t, server.Address()))
	silence(t, "127.0.0.3", port(t, server.Address()))
	c.Resolve = []netip.Addr{netip.MustParseAddr("127.0.0.3"), netip.MustParseAddr("127.0.0.2")}
	d := drive(t, c, 1, 0)
	d.want(rundir.OK)
	if peers := d.target.Peers(); len(peers) != 1 || peers[0].Address.String() != server.Address() {
		t.Errorf("connected to %v", peers)
	}
	if stats := d.close(); stats.ConnectTime.Min < int64(attemptDelay) {
		t.Errorf("connected after %d ns, without waiting for the first address", stats.ConnectTime.Min)
	}
}

// silence listens where nobody accepts and nothing more has room: the kernel
// drops further connects without an answer.
func silence(t *testing.T, host, port string) {
	t.Helper()
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	address := &unix.SockaddrInet4{Port: number, Addr: netip.MustParseAddr(host).As4()}
	open := func() int {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		return fd
	}
	fd := open()
	if err := unix.Bind(fd, address); err != nil {
		t.Skipf("%s:%s is taken: %v", host, port, err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := unix.Connect(open(), address); err != nil && err != unix.EINPROGRESS {
			t.Fatal(err)
		}
	}
}

func TestRaceLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	closed := make(chan bool, 8)
	server := listenOn(t, "0.0.0.0:0", func(c *transporttest.Conn) {
		c.Drain()
		closed <- true
	})
	var addresses []netip.AddrPort
	listening := netip.MustParseAddrPort("127.0.0.2:" + port(t, server.Address()))
	for range 3 {
		addresses = append(addresses, listening)
	}
	conn, err := race(t.Context(), addresses)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	<-closed // with it all of them, or the server's end would hang
}

// The name and its certificate stay those of the address.
func TestConnectTo(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	server := serveTLS(t, a.Server("name.test"), serveOK)
	c := to("name.test:443")
	c.TLS, c.ConnectTo = &TLS{CAFile: a.File}, server.Address()
	d := drive(t, c, 1, 1)
	d.want(rundir.OK)
	if text := d.target.String(); text != "name.test:443 at "+server.Address() {
		t.Errorf("the target is %q", text)
	}
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	medium := transporttest.Medium{Listen: listenUnix, TLS: a.Server("name.test")}
	server := transporttest.ServeOver(t, medium, serveOK)
	c := to("name.test:443")
	c.TLS, c.Socket = &TLS{CAFile: a.File}, server.Address()
	d := drive(t, c, 1, 1)
	d.want(rundir.OK)
	if text := d.target.String(); text != "unix:"+server.Address() {
		t.Errorf("the target is %q", text)
	}
	abstract := "@" + server.Address()
	medium.Listen = func(t testing.TB) net.Listener {
		listener, err := net.Listen("unix", abstract)
		if err != nil {
			t.Fatal(err)
		}
		return listener
	}
	transporttest.ServeOver(t, medium, serveOK)
	c.Socket = abstract
	drive(t, c, 1, 1).want(rundir.OK)
	c.Socket = server.Address() + "none"
	drive(t, c, 1, 0).want(rundir.ErrConnect)
}

// serveProxy answers CONNECT, with the answer given, or by a tunnel.
func serveProxy(t *testing.T, answer string, asked chan<- string) *transporttest.Server {
	t.Helper()
	return transporttest.Serve(t, func(c *transporttest.Conn) {
		request, err := http.ReadRequest(c.Reader())
		if err != nil {
			return
		}
		asked <- request.Method + " " + request.Host + " " + request.Header.Get("Proxy-Authorization")
		if answer != "" {
			c.Send(answer)
			c.Drain()
			return
		}
		target, err := net.Dial("tcp", request.Host)
		if err != nil {
			c.Send("HTTP/1.1 502 Bad Gateway\r\n\r\n")
			return
		}
		c.Send("HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n")
		c.Join(target)
	})
}

func TestProxy(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	plain, secure := transporttest.Serve(t, serveOK), serveTLS(t, a.Server("127.0.0.1"), serveOK)
	for name, c := range map[string]struct {
		target *transporttest.Server
		tls    *TLS
	}{"plain": {plain, nil}, "TLS": {secure, &TLS{CAFile: a.File}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan string, 1)
			proxy := serveProxy(t, "", asked)
			config := to(c.target.Address())
			config.TLS, config.Proxy = c.tls, "http://user:pass%20word@"+proxy.Address()
			d := drive(t, config, 1, 1)
			if got, want := <-asked, "CONNECT "+c.target.Address()+" Basic dXNlcjpwYXNzIHdvcmQ="; got != want {
				t.Errorf("the proxy was asked %q, want %q", got, want)
			}
			for range 3 {
				d.want(rundir.OK)
			}
			if proxy.Connections() != 1 || c.target.Requests() != 3 {
				t.Errorf("%d connections to the proxy, %d requests", proxy.Connections(), c.target.Requests())
			}
			if text := d.target.String(); text != c.target.Address()+" by proxy "+proxy.Address() {
				t.Errorf("the target is %q", text)
			}
		})
	}
}

func TestProxyRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ answer, fault string }{
		"authentication": {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", "proxy: refused with status 407 Proxy Authentication Required"},
		"speaks first":   {"HTTP/1.1 200 OK\r\n\r\nhello", "proxy: bytes after the tunnel was granted"},
		"no proxy":       {"SSH-2.0-OpenSSH_9.6\r\n\r\n", "proxy: "},
		"endless":        {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 5000), "proxy: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := serveProxy(t, c.answer, make(chan string, 4))
			config := to("127.0.0.1:1")
			config.Proxy = "http://user:secret@" + proxy.Address()
			d := drive(t, config, 1, 0)
			d.want(rundir.ErrConnect)
			_, err := tryDrive(t.Context(), t, config, 1, 1)
			if !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), c.fault) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v, want one with %q", err, c.fault)
			}
		})
	}
	config := to("127.0.0.1:1")
	config.Proxy = "http://" + transporttest.ClosedPort(t)
	drive(t, config, 1, 0).want(rundir.ErrRefused)
}
