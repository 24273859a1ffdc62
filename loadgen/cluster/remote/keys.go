package remote

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// Keys are what we log in with.
type Keys struct {
	ours  []ssh.Signer // in the order they are offered: sshd counts attempts
	names []string
	notes []string // keys that could not be used, and what to do
	agent io.Closer
}

// usualKeys are the files that ssh looks for.
var usualKeys = []string{"id_ed25519", "id_ecdsa", "id_rsa"}

// LoadKeys collects the keys of files, then those of the agent at socket (empty:
// none). Without files it looks for ssh's usual ones in home/.ssh. Files that were
// named must be usable: there, and either not encrypted or held by the agent.
func LoadKeys(files []string, socket, home string) (*Keys, error) {
	k := &Keys{}
	held, err := k.askAgent(socket)
	if err != nil {
		k.notes = append(k.notes, err.Error())
	}
	named := len(files) > 0
	if !named {
		for _, name := range usualKeys {
			files = append(files, filepath.Join(home, ".ssh", name))
		}
	}
	var faults []error
	for _, file := range files {
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			file = filepath.Join(home, rest)
		}
		err := k.addFile(file, held)
		switch {
		case err == nil, !named && errors.Is(err, fs.ErrNotExist):
		case named:
			faults = append(faults, err)
		default:
			k.notes = append(k.notes, err.Error())
		}
	}
	for _, s := range held {
		k.add(s, "the agent's "+ssh.FingerprintSHA256(s.PublicKey()))
	}
	if len(faults) == 0 && len(k.ours) == 0 {
		faults = append(faults, fmt.Errorf("no key to log in with: start an agent (ssh-add -l lists its keys) or name files by keys: in the inventory%s", joined("; ", k.notes)))
	}
	if err := errors.Join(faults...); err != nil {
		k.Close()
		return nil, err
	}
	return k, nil
}

func (k *Keys) askAgent(socket string) ([]ssh.Signer, error) {
	if socket == "" {
		return nil, nil
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("ssh agent: %w", err)
	}
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("ssh agent: %w", err)
	}
	k.agent = conn // signing asks it again
	return signers, nil
}

func (k *Keys) addFile(file string, held []ssh.Signer) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	signer, err := ssh.ParsePrivateKey(data)
	if locked, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
		for _, s := range held {
			if locked.PublicKey != nil && string(s.PublicKey().Marshal()) == string(locked.PublicKey.Marshal()) {
				k.add(s, file+" (by the agent)")
				return nil
			}
		}
		return fmt.Errorf("key %s is encrypted: unlock it once by `ssh-add %s`", file, file)
	}
	if err != nil {
		return fmt.Errorf("key %s: %w", file, err)
	}
	k.add(signer, file)
	return nil
}

// add appends a key that is not there yet.
func (k *Keys) add(s ssh.Signer, name string) {
	for _, known := range k.ours {
		if string(known.PublicKey().Marshal()) == string(s.PublicKey().Marshal()) {
			return
		}
	}
	k.ours, k.names = append(k.ours, s), append(k.names, name)
}

func (k *Keys) signers() ([]ssh.Signer, error) { return k.ours, nil }

// tried says which keys were offered, for the error of a refused login.
func (k *Keys) tried() string {
	return "tried " + strings.Join(k.names, ", ") + joined("; ", k.notes)
}

func joined(before string, texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return before + strings.Join(texts, "; ")
}

// Close ends the connection to the agent.
func (k *Keys) Close() error {
	if k.agent == nil {
		return nil
	}
	return k.agent.Close()
}
