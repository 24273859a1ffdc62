// Package sshdtest runs a real sshd for tests: Debian's, on a port of its own on
// loopback, with keys of its own, and with the login shell and the home folder that
// a test wants. Nothing of the machine's own ssh is read or written.
package sshdtest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
)

// A Server is one machine as seen from outside.
type Server struct {
	User     string
	Port     int
	Home     string // of whoever logs in
	KeyFile  string // private key that opens it
	HostKeys []ssh.PublicKey
}

const program = "/usr/sbin/sshd"

// A Config says what a test wants of its machine. The zero value will do.
type Config struct {
	Shell    string   // login shell [/bin/sh]
	HostKeys []string // types, as ssh-keygen names them [ed25519]
}

// Start starts a server that ends with the test, which is skipped where there is
// no sshd.
//
// A daemon cannot say which free port it took, so the test listens, and each
// connection gets an sshd of its own, as from inetd. sshd hands a command to the
// login shell by "SHELL -c COMMAND"; the account that runs the tests has its own
// shell, so a forced command does the same with the one wanted.
func Start(t testing.TB, c Config) *Server {
	t.Helper()
	if c.Shell == "" {
		c.Shell = "/bin/sh"
	}
	for _, need := range []string{program, c.Shell} {
		if _, err := os.Stat(need); err != nil {
			t.Skipf("no %s here: install Debian's openssh-server and tcsh", need)
		}
	}
	if os.Getuid() == 0 {
		// sshd refuses without it; Debian's service makes it before each start.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("sshd wants a folder: %v", err)
		}
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &Server{User: me.Username, Home: t.TempDir(), KeyFile: filepath.Join(dir, "login")}
	public := NewKey(t, s.KeyFile)
	if err := os.WriteFile(filepath.Join(dir, "authorized"), ssh.MarshalAuthorizedKey(public), 0o600); err != nil {
		t.Fatal(err)
	}
	kinds := c.HostKeys
	if len(kinds) == 0 {
		kinds = []string{"ed25519"}
	}
	config := fmt.Sprintf(`AuthorizedKeysFile %s/authorized
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp /usr/lib/openssh/sftp-server
SetEnv HOME=%s
ForceCommand cd && exec %s -c "$SSH_ORIGINAL_COMMAND"
`, dir, s.Home, c.Shell)
	for _, kind := range kinds {
		file := filepath.Join(dir, "host_"+kind)
		out, err := exec.Command("ssh-keygen", "-q", "-t", kind, "-N", "", "-f", file).CombinedOutput()
		if err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
		text, err := os.ReadFile(file + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		key, _, _, _, err := ssh.ParseAuthorizedKey(text)
		if err != nil {
			t.Fatal(err)
		}
		s.HostKeys = append(s.HostKeys, key)
		config += "HostKey " + file + "\n"
	}
	configFile := filepath.Join(dir, "config")
	if err := os.WriteFile(configFile, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s.listen(t, configFile)
	return s
}

// NewKey writes a private key to a file and returns its public half.
func NewKey(t testing.TB, file string) ssh.PublicKey {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (s *Server) listen(t testing.TB, config string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Port = listener.Addr().(*net.TCPAddr).Port
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { serve(ctx, t, conn.(*net.TCPConn), config) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		cancel()
		wg.Wait()
	})
}

func serve(ctx context.Context, t testing.TB, conn *net.TCPConn, config string) {
	file, err := conn.File()
	conn.Close()
	if err != nil {
		t.Errorf("a connection's file: %v", err)
		return
	}
	defer file.Close()
	cmd := exec.CommandContext(ctx, program, "-i", "-e", "-f", config)
	cmd.Stdin, cmd.Stdout = file, file
	_ = cmd.Run() // a client that goes away early is no fault of the test's
}
