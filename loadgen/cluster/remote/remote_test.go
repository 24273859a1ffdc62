package remote

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"edgebench/loadgen/cluster/sshdtest"
)

func at(s *sshdtest.Server) Address { return Address{s.User, "127.0.0.1", s.Port} }

// dialer knows the server's key file; hosts are those of path.
func dialer(t *testing.T, s *sshdtest.Server, hosts *KnownHosts) *Dialer {
	t.Helper()
	keys, err := LoadKeys([]string{s.KeyFile}, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &Dialer{Keys: keys, Hosts: hosts, Timeout: time.Minute}
	t.Cleanup(func() { d.Close() })
	return d
}

func newHosts(t *testing.T) *KnownHosts {
	return &KnownHosts{Path: filepath.Join(t.TempDir(), "ssh", "known_hosts"), AcceptNew: true}
}

func dial(t *testing.T, d *Dialer, s *sshdtest.Server) *Host {
	t.Helper()
	h, err := d.Dial(context.Background(), at(s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// What a script and its arguments say arrives unchanged, whatever reads the
// command line first.
func TestScriptsUnderEveryLoginShell(t *testing.T) {
	t.Parallel()
	script := Script{"say", "main() {\n\tfor a; do printf '%s\\n' \"$a\"; done\n\techo \"$HOME\"\n}\nmain \"$@\" </dev/null; exit\n"}
	args := []string{"plain", "two words", "", "it's", `"quoted"`, "$HOME", "`date`", "!!", "a!b", `back\slash`, `\'`, "*", "~", "a;b", "x>y", "-n", "päö", "{a,b}", "#", "%", "^a^b", "(x)"}
	for _, shell := range []string{"/bin/sh", "/bin/bash", "/usr/bin/tcsh"} {
		t.Run(filepath.Base(shell), func(t *testing.T) {
			t.Parallel()
			s := sshdtest.Start(t, sshdtest.Config{Shell: shell})
			// Start-up files that talk are common, and no part of a script's answer.
			if err := os.WriteFile(filepath.Join(s.Home, ".cshrc"), []byte("set history = 100\nsetenv SEEN yes\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			h := dial(t, dialer(t, s, newHosts(t)), s)
			out, err := h.Run(t.Context(), script, args...)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Join(append(args, s.Home), "\n") + "\n"; out != want {
				t.Errorf("got  %q\nwant %q", out, want)
			}
			if _, err := h.Run(t.Context(), script, "a\nb"); err == nil || !strings.Contains(err.Error(), "line end") {
				t.Errorf("a line end: %v", err)
			}
			files, err := h.Files()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := files.Stat(s.Home); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestACommandThatFails(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Config{})
	h := dial(t, dialer(t, s, newHosts(t)), s)
	_, err := h.Run(t.Context(), Script{"break", "main() { echo no space >&2; return 7; }\nmain \"$@\"; exit\n"}, "it", "all")
	failed, ok := errors.AsType[*CommandError](err)
	if !ok || failed.Code != 7 || err.Error() != "break it all: exit status 7: no space" {
		t.Errorf("%v", err)
	}
	_, err = h.Run(t.Context(), Script{"die", "kill -9 $$\n"})
	if failed, ok := errors.AsType[*CommandError](err); !ok || failed.Code != -1 || failed.Signal != "KILL" {
		t.Errorf("%v", err)
	}
	// A script that never comes back is given up when its time is over.
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("not done within a second"))
	if _, err := h.Run(ctx, Script{"hang", "cat /dev/zero >/dev/null\n"}); err == nil || !strings.Contains(err.Error(), "hang: not done within a second") {
		t.Errorf("%v", err)
	}
}

func TestHostKeys(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Config{HostKeys: []string{"ed25519", "ecdsa", "rsa"}})
	hosts := newHosts(t)
	hosts.AcceptNew = false
	d := dialer(t, s, hosts)

	_, err := d.Dial(t.Context(), at(s))
	if !errors.Is(err, ErrUnknownHost) || !strings.Contains(err.Error(), "--accept-new") || !strings.Contains(err.Error(), "SHA256:") {
		t.Fatalf("a host nobody vouched for: %v", err)
	}
	// The line to add, as the error has it, does.
	lines := strings.Split(err.Error(), "\n")
	write(t, hosts.Path, lines[len(lines)-1])
	dial(t, d, s)

	// Of a host with keys of several kinds the one that is known has to be shown.
	for _, key := range s.HostKeys {
		write(t, hosts.Path, knownhosts.Line([]string{at(s).HostPort()}, key))
		dial(t, d, s)
	}

	// Another key is refused, also by a dialer that takes new ones.
	hosts.AcceptNew = true
	other := sshdtest.NewKey(t, filepath.Join(t.TempDir(), "k"))
	write(t, hosts.Path, knownhosts.Line([]string{at(s).HostPort()}, other))
	_, err = d.Dial(t.Context(), at(s))
	if !errors.Is(err, ErrOtherKey) || !strings.Contains(err.Error(), hosts.Path+":1 has") || !strings.Contains(err.Error(), ssh.FingerprintSHA256(other)) {
		t.Errorf("%v", err)
	}

	// A new one is added once, behind what is there.
	write(t, hosts.Path, "example.org "+strings.TrimSpace(string(ssh.MarshalAuthorizedKey(other))))
	dial(t, d, s)
	dial(t, d, s)
	text, err := os.ReadFile(hosts.Path)
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%v\n%s", err, text)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestByWayOfAnotherMachine(t *testing.T) {
	t.Parallel()
	gate, inner := sshdtest.Start(t, sshdtest.Config{}), sshdtest.Start(t, sshdtest.Config{})
	keys, err := LoadKeys([]string{gate.KeyFile, inner.KeyFile}, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	jump := at(gate)
	d := &Dialer{Keys: keys, Hosts: newHosts(t), Timeout: time.Minute, Jump: &jump}
	defer d.Close()
	for range 2 {
		h := dial(t, d, inner)
		out, err := h.Run(t.Context(), Script{"where", "echo \"$HOME\"\n"})
		if err != nil || strings.TrimSpace(out) != inner.Home {
			t.Errorf("%q, %v; want %q", out, err, inner.Home)
		}
	}
	text, err := os.ReadFile(d.Hosts.Path)
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("both hosts' keys are checked: %v\n%s", err, text)
	}
}

func TestWhoCannotLogIn(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Config{})
	other := filepath.Join(t.TempDir(), "other")
	sshdtest.NewKey(t, other)
	keys, err := LoadKeys([]string{other}, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &Dialer{Keys: keys, Hosts: newHosts(t), Timeout: time.Minute}
	if _, err := d.Dial(t.Context(), at(s)); err == nil || !strings.Contains(err.Error(), "accepts none of our keys") || !strings.Contains(err.Error(), other) {
		t.Errorf("%v", err)
	}
	d.Timeout = time.Nanosecond
	if _, err := d.Dial(t.Context(), at(s)); err == nil {
		t.Error("logged in in no time")
	}
}

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Address{
		"gate":                {"me", "gate", 22},
		"you@gate:2200":       {"you", "gate", 2200},
		"[2001:db8::1]:2200":  {"me", "2001:db8::1", 2200},
		"you@[2001:db8::1]":   {"you", "2001:db8::1", 22},
		"a@corp@gate.example": {"a@corp", "gate.example", 22},
	} {
		if got, err := ParseAddress(text, "me"); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "you@", "gate:0", "gate:x"} {
		if got, err := ParseAddress(text, "me"); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
