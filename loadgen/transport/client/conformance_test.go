package client

import (
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/transporttest"
)

// conforming opens transports as the suite asks for, with TLS or without.
func conforming(t *testing.T, secure *TLS) transporttest.Open {
	return func(s transporttest.Setup) (transport.Transport, error) {
		c := Config{
			Address: s.Address, Sources: s.Sources(), TLS: secure, ConnectTimeout: time.Minute, ColdHeader: s.ColdHeader,
		}
		if strings.HasPrefix(s.Address, "/") {
			c.Address, c.Socket = "", s.Address
		}
		target, err := Prepare(t.Context(), c)
		if err != nil {
			return nil, err
		}
		return target.Open(t.Context(), s.Options)
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	transporttest.Run(t, conforming(t, nil))
}

func TestConformanceTLS(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	for name, version := range map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := a.Server("127.0.0.1")
			server.MinVersion, server.MaxVersion = version, version
			transporttest.RunOver(t, transporttest.Medium{TLS: server}, conforming(t, &TLS{CAFile: a.File}))
		})
	}
}

func TestConformanceUnixSocket(t *testing.T) {
	t.Parallel()
	transporttest.RunOver(t, transporttest.Medium{Listen: listenUnix}, conforming(t, nil))
}

// listenUnix listens in a folder of its own with a short name: a test's own
// may be too long for a socket.
func listenUnix(t testing.TB) net.Listener {
	t.Helper()
	dir, err := os.MkdirTemp("", "client")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	return listener
}
