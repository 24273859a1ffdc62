package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// KnownHosts is ssh's file of host keys. A host that is not in it is refused with
// the line to add, or added; a host with another key than the file says is always
// refused.
type KnownHosts struct {
	Path      string
	AcceptNew bool // add the keys of hosts never seen before

	mu sync.Mutex // the file is read and appended to by one connection at a time
}

// ErrUnknownHost is about a host whose key nobody vouched for.
var ErrUnknownHost = errors.New("unknown host")

// ErrOtherKey is about a host with another key than before.
var ErrOtherKey = errors.New("the host's key changed")

// A hostCheck is the check of one login; it remembers why it said no.
type hostCheck struct {
	hosts   *KnownHosts
	refused error
}

func (k *KnownHosts) check() *hostCheck { return &hostCheck{hosts: k} }

func (c *hostCheck) callback(address string, remote net.Addr, key ssh.PublicKey) error {
	c.refused = c.hosts.verify(address, remote, key)
	return c.refused
}

func (k *KnownHosts) verify(address string, remote net.Addr, key ssh.PublicKey) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.look(address, remote, key)
	bad, ok := errors.AsType[*knownhosts.KeyError](err)
	if !ok {
		return err // nil, revoked, or about the file
	}
	print := ssh.FingerprintSHA256(key)
	if len(bad.Want) > 0 {
		var lines []string
		for _, w := range bad.Want {
			lines = append(lines, fmt.Sprintf("%s:%d has %s %s", w.Filename, w.Line, w.Key.Type(), ssh.FingerprintSHA256(w.Key)))
		}
		return fmt.Errorf("%w: it shows %s %s, but %s; if the machine was installed anew, remove that line (ssh-keygen -R '%s')",
			ErrOtherKey, key.Type(), print, strings.Join(lines, ", "), knownhosts.Normalize(address))
	}
	line := knownhosts.Line([]string{address}, key)
	if !k.AcceptNew {
		return fmt.Errorf("%w: it shows %s %s; when that is right, use --accept-new, or add to %s:\n%s", ErrUnknownHost, key.Type(), print, k.Path, line)
	}
	return k.append(line)
}

// look holds a key against the file as it is now. A file that is not there is empty.
func (k *KnownHosts) look(address string, remote net.Addr, key ssh.PublicKey) error {
	check, err := knownhosts.New(k.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return &knownhosts.KeyError{}
	}
	if err != nil {
		return fmt.Errorf("known hosts: %w", err)
	}
	return check(address, remote, key)
}

func (k *KnownHosts) append(line string) error {
	if err := os.MkdirAll(filepath.Dir(k.Path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(k.Path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	// A file edited by hand may lack its last line end.
	last := make([]byte, 1)
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// algorithms are those of the keys that the file has of a host, nil for the
// library's own choice. A host has keys of several kinds and shows one; without
// this it may show one that the file does not have, which reads like a changed key.
func (k *KnownHosts) algorithms(address string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	known, ok := errors.AsType[*knownhosts.KeyError](k.look(address, &net.TCPAddr{}, noKey{}))
	if !ok {
		return nil
	}
	var algorithms []string
	for _, w := range known.Want {
		kinds := []string{w.Key.Type()}
		if w.Key.Type() == ssh.KeyAlgoRSA {
			kinds = []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
		}
		for _, kind := range kinds {
			if !slices.Contains(algorithms, kind) {
				algorithms = append(algorithms, kind)
			}
		}
	}
	return algorithms
}

// noKey is a key that no host has: holding it against the file brings out those
// that the file wants.
type noKey struct{}

func (noKey) Type() string                            { return "none" }
func (noKey) Marshal() []byte                         { return []byte("none") }
func (noKey) Verify(_ []byte, _ *ssh.Signature) error { return errors.New("no key") }
