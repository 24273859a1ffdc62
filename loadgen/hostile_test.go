package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io/fs"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostileText would clear a terminal, or run in a page.
const hostileText = "\x1b[2J\u009b2J</script><script>alert(1)</script>"

// hostileServer puts the text wherever a response has room for one.
func hostileServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
			go func() {
				in := bufio.NewReader(conn)
				for {
					if _, err := http.ReadRequest(in); err != nil {
						return
					}
					body := `{"cold":"` + hostileText + `","instance":"` + hostileText + `"}`
					fmt.Fprintf(conn, "HTTP/1.1 200 %[1]s\r\nServer: %[1]s\r\nX-Path: %[1]s\r\nX-Cold-Start: %[1]s\r\nX-Instance: %[1]s\r\nX-Worker-Id: %[1]s\r\nContent-Length: %[2]d\r\n\r\n%[3]s",
						hostileText, len(body), body)
				}
			}()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		for _, conn := range conns {
			conn.Close()
		}
	})
	return "http://" + l.Addr().String() + "/"
}

// assertTame fails for output that holds the text as it came: for a terminal, what
// it would obey; in a file that a page may be made of, markup as well.
func assertTame(t *testing.T, what string, data []byte) {
	t.Helper()
	for _, raw := range []string{"\x1b", "\u009b"} {
		if bytes.Contains(data, []byte(raw)) {
			t.Errorf("%s holds %q of the target", what, raw)
		}
	}
	if filepath.Ext(what) != "" && bytes.Contains(data, []byte("<script>alert")) {
		t.Errorf("%s holds a script of the target", what)
	}
}

func TestHostileTarget(t *testing.T) {
	t.Parallel()
	address := hostileServer(t)
	for _, cold := range []string{"{header: X-Cold-Start}", "{json: cold}", "{instance_id: {header: X-Instance}}", "{instance_id: {json: instance}}"} {
		c := loadgen(t, "", "run", "--url", address, "--rate", "40/s", "--duration", "500ms", "--no-preflight", "--set", "cold="+cold,
			"--set", "request.expect={body: {contains: nothing of the kind}}", "--junit", "j.xml", "--markdown", "m.md")
		c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
		assertTame(t, "stdout", c.stdout.Bytes())
		assertTame(t, "stderr", []byte(c.stderr.String()))
		err := filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, ".zst") {
				return err
			}
			data, err := os.ReadFile(path)
			assertTame(t, filepath.Base(path), data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"probe", address, "--idle", "0s"}, {"probe", address, "--idle", "0s", "--json"}, {"doctor", "--url", address}} {
		c := loadgen(t, "", args...)
		// doctor may find fault with the host; to probe such a header is malformed.
		c.wantCode(t, c.code(t, c.Run()), exitOK, exitUsage, exitUnreachable)
		assertTame(t, args[0], append(c.stdout.Bytes(), c.stderr.String()...))
	}
}

// The names in a certificate are the target's too.
func TestHostileCertificate(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	name := "evil\x1b[2J.example"
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, Issuer: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Unix(0, 0), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.Config.ErrorLog = log.New(new(bytes.Buffer), "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	for _, args := range [][]string{{"probe", s.URL}, {"run", "--url", s.URL, "--rate", "1/s", "--duration", "1s"}} {
		c := loadgen(t, "", args...)
		c.wantCode(t, c.code(t, c.Run()), exitUnreachable)
		assertTame(t, args[0], append(c.stdout.Bytes(), c.stderr.String()...))
		if !strings.Contains(c.stderr.String(), "certificate") {
			t.Errorf("%s: %s", args[0], c.stderr.String())
		}
	}
}
