package client

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/transporttest"
)

func serveTLS(t *testing.T, config *tls.Config, script func(*transporttest.Conn)) *transporttest.Server {
	t.Helper()
	return transporttest.ServeOver(t, transporttest.Medium{TLS: config}, script)
}

// What is accepted as the peer's identity, and what the text says otherwise:
// before the run for a target without one warm connection, and in the class of
// a request.
func TestIdentity(t *testing.T) {
	t.Parallel()
	a, other := transporttest.NewAuthority(t), transporttest.NewAuthority(t)
	here := a.Server("127.0.0.1")
	named := a.Server("name.test")
	expired, _, _ := a.Sign("expired", time.Now().Add(-time.Hour), "127.0.0.1")
	asking := here.Clone()
	asking.ClientAuth, asking.ClientCAs = tls.RequireAndVerifyClientCert, a.Pool()
	asking12 := asking.Clone()
	asking12.MaxVersion = tls.VersionTLS12
	_, ourCert, ourKey := a.Sign("client", time.Now().Add(time.Hour))
	old := here.Clone()
	old.MaxVersion = tls.VersionTLS11
	for _, c := range []struct {
		name   string
		server *tls.Config
		ours   TLS
		fault  string // empty for a success
	}{
		{"custom authority", here, TLS{CAFile: a.File}, ""},
		{"not trusted by the system", here, TLS{}, "certificate signed by unknown authority"},
		{"another authority", here, TLS{CAFile: other.File}, "certificate signed by unknown authority"},
		{"insecure", here, TLS{Insecure: true}, ""},
		{"another name", named, TLS{CAFile: a.File}, "doesn't contain any IP SANs"},
		{"server name", named, TLS{CAFile: a.File, ServerName: "name.test"}, ""},
		{"expired", &tls.Config{Certificates: []tls.Certificate{expired}}, TLS{CAFile: a.File}, "expired"},
		{"our certificate", asking, TLS{CAFile: a.File, CertFile: ourCert, KeyFile: ourKey}, ""},
		{"our certificate, 1.2", asking12, TLS{CAFile: a.File, CertFile: ourCert, KeyFile: ourKey}, ""},
		{"our certificate missing, 1.2", asking12, TLS{CAFile: a.File}, "tls: "},
		{"too old", old, TLS{CAFile: a.File}, "protocol version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := serveTLS(t, c.server, serveOK)
			config := to(server.Address())
			config.TLS = &c.ours
			if c.fault == "" {
				drive(t, config, 2, 1).want(rundir.OK)
				return
			}
			d := drive(t, config, 2, 0)
			d.want(rundir.ErrTLS)
			if stats := d.close(); stats.Failed != 1 || d.sent != 1 || server.Requests() != 0 {
				t.Errorf("%+v, %d sent, %d requests on the wire", stats, d.sent, server.Requests())
			}
			_, err := tryDrive(t.Context(), t, config, 2, 1)
			if !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), c.fault) || !strings.Contains(err.Error(), server.Address()) {
				t.Errorf("error %v, want one with %q", err, c.fault)
			}
		})
	}
}

// With TLS 1.3 a server refuses our certificate only after our handshake is
// over, and says so with an alert.
func TestRefusedAfterTheHandshake(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	asking := a.Server("127.0.0.1")
	asking.ClientAuth, asking.ClientCAs = tls.RequireAndVerifyClientCert, a.Pool()
	config := to(serveTLS(t, asking, serveOK).Address())
	config.TLS = &TLS{CAFile: a.File}
	d := drive(t, config, 2, 0)
	for range 3 {
		d.want(rundir.ErrTLS)
	}
}

func TestServerNameIsSent(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	config := a.Server("name.test", "127.0.0.1")
	names := make(chan string, 1)
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		names <- hello.ServerName
		return nil, nil
	}
	server := serveTLS(t, config, serveOK)
	for _, name := range []string{"name.test", ""} { // none is sent for an address
		c := to(server.Address())
		c.TLS = &TLS{CAFile: a.File, ServerName: name}
		drive(t, c, 1, 0).want(rundir.OK)
		if got := <-names; got != name {
			t.Errorf("the server was asked for %q, want %q", got, name)
		}
	}
}

// C11: the port speaks something else.
func TestNoTLSThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script func(*transporttest.Conn)
		fault  string
	}{
		"plain HTTP": {func(c *transporttest.Conn) { c.Send("HTTP/1.1 400 Bad Request\r\n\r\n") }, "speaks plain HTTP"},
		"SSH":        {func(c *transporttest.Conn) { c.Send("SSH-2.0-OpenSSH_9.6\r\n") }, `begins "SSH-2"`},
		"closed":     {func(c *transporttest.Conn) {}, "tls handshake: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := to(transporttest.Serve(t, c.script).Address())
			config.TLS = &TLS{Insecure: true}
			drive(t, config, 1, 0).want(rundir.ErrTLS)
			_, err := tryDrive(t.Context(), t, config, 1, 1)
			if !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("error %v, want one with %q", err, c.fault)
			}
		})
	}
}

// A handshake that never ends takes the time to connect, and no more.
func TestHandshakeTimesOut(t *testing.T) {
	t.Parallel()
	config := to(transporttest.Serve(t, (*transporttest.Conn).Drain).Address())
	config.TLS, config.ConnectTimeout = &TLS{Insecure: true}, 50*time.Millisecond
	s := drive(t, config, 1, 0).want(rundir.ErrTLS)
	if took := time.Duration(s.Done - s.Sent); took < config.ConnectTimeout {
		t.Errorf("given up after %v", took)
	}
	_, err := tryDrive(t.Context(), t, config, 1, 1)
	if err == nil || !strings.Contains(err.Error(), "tls handshake: context deadline exceeded") {
		t.Errorf("error %v", err)
	}
}

// C60: a slow handshake is lag, and a connect time, but no service time.
func TestSlowHandshakeIsNoServiceTime(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	config := a.Server("127.0.0.1")
	asked, goOn := make(chan bool), make(chan bool)
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		asked <- true
		<-goOn
		return nil, nil
	}
	c := to(serveTLS(t, config, serveOK).Address())
	c.TLS = &TLS{CAFile: a.File}
	d := drive(t, c, 1, 0)
	d.send()
	d.wait(0) // begins the connect
	<-asked
	d.wait(0)
	if d.sent != 0 {
		t.Error("sent during the handshake")
	}
	released := d.clock.Now()
	close(goOn)
	d.until(1)
	s := d.samples[0]
	if s.Outcome != rundir.OK || s.Sent < released {
		t.Errorf("%v, sent at %d, the handshake went on at %d", s.Outcome, s.Sent, released)
	}
	stats := d.close()
	if h, c := stats.HandshakeTime, stats.ConnectTime; h.N != 1 || c.N != 1 || h.Max > c.Max || s.Scheduled+c.Max < released-int64(time.Millisecond) {
		t.Errorf("handshake %d times, at most %d ns; connect %d times, at most %d ns", h.N, h.Max, c.N, c.Max)
	}
}

// tamper serves TLS through a middle that does worse with the record of the
// response.
func tamper(t *testing.T, config *tls.Config, response string, worse func(net.Conn, []byte)) string {
	t.Helper()
	server := transporttest.Serve(t, func(c *transporttest.Conn) {
		ours, theirs := net.Pipe()
		secured := tls.Server(theirs, config)
		go func() { // what the client says
			_, _ = io.Copy(ours, c)
			ours.Close()
		}()
		go func() {
			defer theirs.Close()
			request := make([]byte, 4096)
			if _, err := secured.Read(request); err != nil {
				return
			}
			_, _ = secured.Write([]byte(response))
		}()
		record := make([]byte, 64<<10)
		for {
			n, err := ours.Read(record)
			if err != nil {
				return
			}
			// Records that are not of a handshake, and longer than a ticket.
			if record[0] == 23 && n > len(response) && n < len(response)+64 {
				worse(c, record[:n])
				return
			}
			if _, err := c.Write(record[:n]); err != nil {
				return
			}
		}
	})
	return server.Address()
}

func TestBrokenRecords(t *testing.T) {
	t.Parallel()
	a := transporttest.NewAuthority(t)
	config := a.Server("127.0.0.1")
	config.SessionTicketsDisabled, config.DynamicRecordSizingDisabled = true, true
	response := "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" + strings.Repeat("x", 4000)
	for name, c := range map[string]struct {
		worse func(net.Conn, []byte)
		want  rundir.Outcome
	}{
		"whole":         {func(c net.Conn, record []byte) { _, _ = c.Write(record) }, rundir.OK},
		"cut":           {func(c net.Conn, record []byte) { _, _ = c.Write(record[:2000]) }, rundir.ErrTruncatedBody},
		"forged":        {func(c net.Conn, record []byte) { record[100] ^= 1; _, _ = c.Write(record) }, rundir.ErrTLS},
		"no record":     {func(c net.Conn, record []byte) { _, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n")) }, rundir.ErrTLS},
		"a plain alert": {func(c net.Conn, record []byte) { _, _ = c.Write([]byte{21, 3, 3, 0, 2, 2, 80}) }, rundir.ErrTLS},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := to(tamper(t, config, response, c.worse))
			to.TLS = &TLS{CAFile: a.File}
			drive(t, to, 1, 0).want(c.want)
		})
	}
}

// The system's roots, in a process of its own, since they are read once.
func TestSystemRoots(t *testing.T) {
	if address := os.Getenv(rootsVariable); address != "" {
		c := to(address)
		c.TLS = &TLS{}
		drive(t, c, 1, 1).want(rundir.OK)
		return
	}
	t.Parallel()
	a := transporttest.NewAuthority(t)
	server := serveTLS(t, a.Server("127.0.0.1"), serveOK)
	cmd := exec.Command(os.Args[0], "-test.run=^TestSystemRoots$")
	cmd.Env = append(os.Environ(), rootsVariable+"="+server.Address(), "SSL_CERT_FILE="+a.File)
	if out, err := cmd.CombinedOutput(); err != nil || server.Requests() != 1 {
		t.Errorf("%v, %d requests\n%s", err, server.Requests(), out)
	}
}

const rootsVariable = "CLIENT_TEST_ROOTS"
