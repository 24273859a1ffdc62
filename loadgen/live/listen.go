package live

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// Listen binds HOST:PORT; without a host it is 127.0.0.1, port 0 is a free one.
func Listen(address string) (*net.TCPListener, error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return nil, fmt.Errorf("%q: want :PORT or HOST:PORT with a port of 0 to 65535, for example :0", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: somebody listens there already: choose another port, or :0 for a free one", address)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return l.(*net.TCPListener), nil
}
