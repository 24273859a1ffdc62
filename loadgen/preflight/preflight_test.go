package preflight

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// serve accepts connections until the test ends and gives each to handle.
func serve(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			handle(conn)
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-ended })
	return l.Addr().String()
}

func look(t *testing.T, scheme, address string) error {
	t.Helper()
	return Look(t.Context(), Target{
		Dial: func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", address) },
		URL:  scheme + "://" + address, Host: address, TLS: scheme == "https",
	})
}

// greets sends text at once and waits for the peer to hang up.
func greets(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		_, _ = io.Copy(io.Discard, c)
	}
}

// answers sends text after the first line it is told.
func answers(text string) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
			_, _ = io.WriteString(c, text)
		}
	}
}

func TestOtherProtocolsAreNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scheme string
		handle func(net.Conn)
		want   string
	}{
		"ssh":            {"http", greets("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"), `SSH, it begins with "SSH-2.0-OpenSSH_9.2p1 Debian-2"`},
		"ssh for https":  {"https", greets("SSH-2.0-OpenSSH_9.2p1\r\n"), `SSH, it begins with "SSH-2"`},
		"smtp":           {"http", greets("220 mail.example ESMTP Postfix\r\n"), "SMTP, it"},
		"ftp":            {"http", greets("220 (vsFTPd 3.0.3)\r\n"), "FTP, it"},
		"either":         {"http", greets("220 ready\r\n"), "SMTP or FTP"},
		"imap":           {"http", greets("* OK IMAP4rev1 ready\r\n"), "IMAP"},
		"pop3":           {"http", greets("+OK ready\r\n"), "POP3"},
		"redis":          {"http", answers("-ERR unknown command 'OPTIONS', with args beginning with: '*'\r\n"), "Redis"},
		"memcached":      {"http", answers("ERROR\r\nERROR\r\n"), "memcached"},
		"mysql":          {"http", greets("\x4a\x00\x00\x00\x0a8.0.36\x00\x08\x00\x00\x00abcdefgh\x00"), "MySQL"},
		"mysql refuses":  {"http", greets("\x45\x00\x00\x00\xff\x6a\x04Host '10.0.0.1' is not allowed"), "MySQL"},
		"http/2 speaks":  {"http", greets("\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64"), "HTTP/2 without HTTP/1.1"},
		"http/2 answers": {"http", answers("\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x08\x07\x00\x00\x00\x00\x00"), "HTTP/2 without HTTP/1.1"},
		"tls alert":      {"http", answers("\x15\x03\x01\x00\x02\x02\x16"), "TLS: write https://"},
		"echo for https": {"https", answers("good morning\r\n"), "no TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, c.handle)
			err := look(t, c.scheme, address)
			if !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.scheme+"://"+address) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// Servers as they are: Go's own, in both ways and mixed up, and one that speaks
// HTTP/2 only.
func TestRealServers(t *testing.T) {
	t.Parallel()
	var called atomic.Int64
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) })
	plain := start(t, handler, func(*httptest.Server) {}, false)
	secure := start(t, handler, func(*httptest.Server) {}, true)
	only2 := func(s *httptest.Server) {
		s.EnableHTTP2 = true
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP2(true)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
	}
	clear2, secure2 := start(t, handler, only2, false), start(t, handler, only2, true)
	for name, c := range map[string]struct{ scheme, address, want string }{
		"plain":            {"http", plain, ""},
		"tls":              {"https", secure, ""},
		"tls by http":      {"http", secure, "TLS: write https://"},
		"plain by https":   {"https", plain, "plain HTTP: write http://"},
		"tls with h2 only": {"https", secure2, "HTTP/2 without HTTP/1.1"},
		"clear http/2":     {"http", clear2, "HTTP/2 without HTTP/1.1"},
	} {
		err := look(t, c.scheme, c.address)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if n := called.Load(); n != 0 {
		t.Errorf("the look called %d handlers: it must call none", n)
	}
}

// start is a server of Go's own, that keeps what it has to say of its peers.
func start(t *testing.T, handler http.Handler, set func(*httptest.Server), secure bool) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	set(s)
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// What is not recognised is left to the run.
func TestTheUnknownPass(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]func(net.Conn){
		"hangs up":      func(net.Conn) {},
		"not found":     answers("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
		"not for me":    answers("HTTP/1.0 400 Bad Request\r\n\r\n"),
		"odd":           answers("hello\r\n"),
		"speaks nicely": greets("HTTP/1.1 408 Request Timeout\r\n\r\n"),
	} {
		if err := look(t, "http", serve(t, handle)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	if err := look(t, "http", address); err == nil || errors.Is(err, ErrProtocol) {
		t.Errorf("nobody there: %v", err)
	}
}

// A peer that never says anything costs a bounded time; a caller that gives up
// ends the look.
func TestSilence(t *testing.T) {
	t.Parallel()
	address := serve(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	err := Look(ctx, Target{Dial: func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", address) }, Host: "h"})
	if err != nil {
		t.Errorf("%v", err)
	}
}

func FuzzNamed(f *testing.F) {
	f.Add([]byte("SSH-2.0-x"))
	f.Add([]byte{0, 0, 6, 4, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, first []byte) {
		if name := named(first); name != "" && strings.HasPrefix(string(first), "HTTP/1.") {
			t.Errorf("%q is taken for %s", first, name)
		}
	})
}
