package reactor

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// backlog is what the kernel may hold of connections not accepted yet, bounded
// by net.core.somaxconn. A short one turns a burst into retransmission steps of
// 1, 3 and 7 seconds.
const backlog = 4096

// A Listener is a bound, listening, non-blocking socket.
type Listener struct {
	fd   int
	addr *net.TCPAddr
}

// Listen binds host:port. An empty host means every address of both families,
// port 0 a free one. The socket is bound without SO_REUSEPORT: with it a second
// node would start silently on the port of the first and take half its
// connections. Further loops need no listener, see Follow.
func Listen(addr string) (*Listener, error) {
	_, _, err := net.SplitHostPort(addr)
	var tcp *net.TCPAddr
	if err == nil {
		tcp, err = net.ResolveTCPAddr("tcp", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	fd, err := bind(tcp)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	l := &Listener{fd: fd}
	if l.addr, err = localAddr(fd); err != nil {
		l.Close()
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l, nil
}

// Addr is the address that was bound, with the real port.
func (l *Listener) Addr() *net.TCPAddr { return l.addr }

// Close ends listening; Run does so itself.
func (l *Listener) Close() error {
	fd := l.fd
	l.fd = -1
	if fd < 0 {
		return nil
	}
	return os.NewSyscallError("close", unix.Close(fd))
}

func bind(tcp *net.TCPAddr) (int, error) {
	if ip := tcp.IP.To4(); ip != nil {
		return bindFamily(unix.AF_INET, &unix.SockaddrInet4{Port: tcp.Port, Addr: [4]byte(ip)})
	}
	any6 := &unix.SockaddrInet6{Port: tcp.Port}
	if tcp.IP != nil {
		copy(any6.Addr[:], tcp.IP)
		if tcp.Zone != "" {
			link, err := net.InterfaceByName(tcp.Zone)
			if err != nil {
				return -1, fmt.Errorf("zone %q: %w", tcp.Zone, err)
			}
			any6.ZoneId = uint32(link.Index)
		}
		return bindFamily(unix.AF_INET6, any6)
	}
	fd, err := bindFamily(unix.AF_INET6, any6)
	if errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EADDRNOTAVAIL) { // a machine without IPv6
		return bindFamily(unix.AF_INET, &unix.SockaddrInet4{Port: tcp.Port})
	}
	return fd, err
}

func bindFamily(family int, sa unix.Sockaddr) (fd int, err error) {
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	options := []struct {
		name             string
		level, id, value int
	}{
		{"SO_REUSEADDR", unix.SOL_SOCKET, unix.SO_REUSEADDR, 1}, // restart while old connections are in TIME_WAIT
		{"TCP_NODELAY", unix.IPPROTO_TCP, unix.TCP_NODELAY, 1},  // accepted sockets inherit it: one call less for each
	}
	for _, o := range options {
		if err := unix.SetsockoptInt(fd, o.level, o.id, o.value); err != nil {
			return -1, os.NewSyscallError("setsockopt "+o.name, err)
		}
	}
	if six, ok := sa.(*unix.SockaddrInet6); ok && six.Addr == [16]byte{} {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0); err != nil {
			return -1, os.NewSyscallError("setsockopt IPV6_V6ONLY", err)
		}
	}
	if err := unix.Bind(fd, sa); err != nil {
		return -1, os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(fd, backlog); err != nil {
		return -1, os.NewSyscallError("listen", err)
	}
	return fd, nil
}

func localAddr(fd int) (*net.TCPAddr, error) {
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return nil, os.NewSyscallError("getsockname", err)
	}
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return &net.TCPAddr{IP: net.IP(sa.Addr[:]), Port: sa.Port}, nil
	case *unix.SockaddrInet6:
		addr := &net.TCPAddr{IP: net.IP(sa.Addr[:]), Port: sa.Port}
		if sa.ZoneId != 0 {
			if link, err := net.InterfaceByIndex(int(sa.ZoneId)); err == nil {
				addr.Zone = link.Name
			}
		}
		return addr, nil
	}
	return nil, fmt.Errorf("getsockname: unexpected family %T", sa)
}
