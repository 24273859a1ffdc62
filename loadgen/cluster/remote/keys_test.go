package remote

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"edgebench/loadgen/cluster/sshdtest"
)

func TestKeysOfAnAgent(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-agent"); err != nil {
		t.Skip("no ssh-agent here: install Debian's openssh-client")
	}
	s := sshdtest.Start(t, sshdtest.Config{})
	socket := filepath.Join(t.TempDir(), "agent")
	agent := exec.Command("ssh-agent", "-D", "-a", socket)
	out, err := agent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agent.Process.Kill(); agent.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil { // it says where it listens once it does
		t.Fatal(err)
	}
	add := exec.Command("ssh-add", "-q", s.KeyFile)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The file gets a passphrase: only the agent can sign now.
	lock := exec.Command("ssh-keygen", "-q", "-p", "-f", s.KeyFile, "-N", "open sesame")
	if out, err := lock.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, files := range map[string][]string{"the agent's own": nil, "named by its file": {s.KeyFile}} {
		keys, err := LoadKeys(files, socket, t.TempDir())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d := &Dialer{Keys: keys, Hosts: newHosts(t)}
		dial(t, d, s)
		d.Close()
	}
	if _, err := LoadKeys([]string{s.KeyFile}, "", t.TempDir()); err == nil || !strings.Contains(err.Error(), "ssh-add "+s.KeyFile) {
		t.Errorf("an encrypted key without an agent: %v", err)
	}
}

func TestKeysThatAreNotThere(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if _, err := LoadKeys(nil, "", home); err == nil || !strings.Contains(err.Error(), "no key to log in with") {
		t.Errorf("%v", err)
	}
	if _, err := LoadKeys([]string{"~/a", "~/b"}, "", home); err == nil || !strings.Contains(err.Error(), home+"/a") || !strings.Contains(err.Error(), home+"/b") {
		t.Errorf("every fault: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	sshdtest.NewKey(t, filepath.Join(home, ".ssh", "id_ed25519"))
	if _, err := LoadKeys(nil, filepath.Join(home, "no-agent"), home); err != nil {
		t.Errorf("a usual key, and an agent that is gone: %v", err)
	}
}
