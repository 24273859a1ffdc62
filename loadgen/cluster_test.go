package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/batch"
	"edgebench/loadgen/cluster"
	"edgebench/loadgen/cluster/sshdtest"
	"edgebench/profiles"
)

// lab is a folder with a batch and the inventory of two machines, each a real sshd;
// the login shell of the second is tcsh.
type lab struct {
	dir      string
	machines []*sshdtest.Server
}

func newLab(t *testing.T, trials int, roles ...string) *lab {
	t.Helper()
	if len(roles) == 0 {
		roles = []string{profiles.RoleBoth, profiles.RoleBoth}
	}
	l := &lab{dir: batchFolder(t, trials)}
	inv := profiles.Inventory{Name: "lab", Folder: "edge"}
	for i, shell := range []string{"/bin/sh", "/usr/bin/tcsh"} {
		s := sshdtest.Start(t, sshdtest.Config{Shell: shell})
		l.machines = append(l.machines, s)
		inv.User, inv.Keys = s.User, append(inv.Keys, s.KeyFile)
		inv.Nodes = append(inv.Nodes, profiles.InventoryNode{Name: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Port: s.Port, Address: "127.0.0.1", Role: roles[i]})
	}
	if err := os.WriteFile(filepath.Join(l.dir, "lab.yaml"), inv.YAML(), 0o644); err != nil {
		t.Fatal(err)
	}
	return l
}

// cluster runs a command of cluster and returns what it prints.
func (l *lab) cluster(t *testing.T, code int, args ...string) string {
	t.Helper()
	c := l.command(t, args...)
	c.wantCode(t, c.code(t, c.Run()), code)
	return c.stdout.String()
}

func (l *lab) command(t *testing.T, args ...string) *command {
	t.Helper()
	args = append([]string{"cluster", args[0], "lab.yaml", "--known-hosts", "known_hosts"}, args[1:]...)
	c := inFolder(t, l.dir, args...)
	c.Env = append(os.Environ(), "HOME="+l.dir, "SSH_AUTH_SOCK=")
	return c
}

// From the programs to the results, with the real ones on both sides.
func TestABatchOnACluster(t *testing.T) {
	t.Parallel()
	const trials = 2
	l := newLab(t, trials)
	t.Cleanup(func() { _ = l.command(t, "stop", "--grace", "0s").Run() })

	if c := l.command(t, "push"); c.code(t, c.Run()) != exitUnreachable || !strings.Contains(c.stdout.String(), "--accept-new") {
		t.Fatalf("hosts nobody vouched for: %s%s", c.stdout.String(), c.stderr.String())
	}
	if out := l.cluster(t, exitOK, "push", "--accept-new"); strings.Count(out, "got loadgen and target") != 2 || !strings.Contains(out, "2 of 2 nodes done") {
		t.Errorf("%s", out)
	}
	var diagnoses []struct {
		Node   string
		Checks []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(l.cluster(t, exitOK, "doctor", "--json")), &diagnoses); err != nil || len(diagnoses) != 2 || len(diagnoses[1].Checks) == 0 {
		t.Errorf("%v: %+v", err, diagnoses)
	}

	if out := l.cluster(t, exitOK, "doctor", "--fix", "--dry-run"); strings.Count(out, "values would be set, worst finding: ") != 2 {
		t.Errorf("%s", out)
	}

	start := []string{"start", "night.yaml", "--port", "0", "--keep", "setsid"}
	if out := l.cluster(t, exitOK, start...); !strings.Contains(out, "4 trials of night") || strings.Count(out, "worker started") != 2 {
		t.Errorf("%s", out)
	}
	eventually(t, "every trial has a result here", func() bool {
		l.cluster(t, exitOK, "collect", "--out", "here")
		results, err := batch.NewFolder(filepath.Join(l.dir, "here/n0/batches/night")).Results().List()
		return err == nil && len(results) == 2*trials
	})
	status := inFolder(t, l.dir, "batch", "status", "here/n0/batches/night", "--json")
	status.wantCode(t, status.code(t, status.Run()), exitOK)
	var s batch.Status
	if err := json.Unmarshal(status.stdout.Bytes(), &s); err != nil || s.Done != 2*trials {
		t.Errorf("%v: %s", err, status.stdout.String())
	}
	l.cluster(t, exitOK, "stop")
	for _, m := range l.machines {
		info, err := os.Stat(filepath.Join(m.Home, "edge", tokenOnNode))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the token: %v, %v", info, err)
		}
		if out, err := exec.Command("sh", "-c", "ls -l /proc/[0-9]*/exe 2>/dev/null | grep -F '"+m.Home+"'").Output(); err == nil {
			t.Errorf("left: %s", out)
		}
	}
}

// Nodes play the parts that the inventory gives them: one sends, one is loaded.
func TestRolesOnACluster(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, profiles.RoleGenerator, profiles.RoleTarget)
	night, err := os.ReadFile(filepath.Join(l.dir, "night.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(generators int) {
		text := fmt.Appendf(nil, "%sgenerators: %d\n", night, generators)
		if err := os.WriteFile(filepath.Join(l.dir, "night.yaml"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	start := []string{"start", "night.yaml", "--port", "0", "--keep", "setsid"}
	write(2) // there is one
	if c := l.command(t, start...); c.code(t, c.Run()) != exitUsage || !strings.Contains(c.stderr.String(), "2 nodes with role: generator (there are 1)") {
		t.Errorf("%s", c.stderr.String())
	}
	write(1)
	t.Cleanup(func() { _ = l.command(t, "stop", "--grace", "0s").Run() })
	l.cluster(t, exitOK, "push", "--accept-new")
	l.cluster(t, exitOK, start...)
	var results []batch.Result
	eventually(t, "every trial has a result here", func() bool {
		l.cluster(t, exitOK, "collect", "--out", "here")
		folder := batch.NewFolder(filepath.Join(l.dir, "here/n0/batches/night")).Results()
		ids, err := folder.List()
		if err != nil || len(ids) < 2 {
			return false
		}
		for _, id := range ids {
			r, err := folder.Read(id)
			if err != nil {
				return false
			}
			results = append(results, r)
		}
		return true
	})
	for _, r := range results {
		m, err := rundir.ReadManifest(filepath.Join(l.dir, "here/n0/batches/night/results", r.Trial.ID, batch.RunDir))
		if err != nil || len(m.Parts) != 2 {
			t.Errorf("%v: parts %+v, want a generator's and a target's", err, m.Parts)
		}
	}
}

func TestClusterInventory(t *testing.T) {
	t.Parallel()
	manifest, err := filepath.Abs("cluster/rspec/testdata/lan.xml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(code int, args ...string) *command {
		c := inFolder(t, dir, append([]string{"cluster", "inventory", manifest}, args...)...)
		c.wantCode(t, c.code(t, c.Run()), code)
		return c
	}
	if c := run(exitUsage); !strings.Contains(c.stderr.String(), "--user: alice (3 of 3 nodes), bob") {
		t.Errorf("%s", c.stderr.String())
	}
	if c := run(exitOK, "--user", "bob"); !strings.Contains(c.stdout.String(), "written to inventory.yaml") {
		t.Errorf("%s", c.stdout.String())
	}
	if c := run(exitUsage, "--user", "alice"); !strings.Contains(c.stderr.String(), "--force") {
		t.Errorf("%s", c.stderr.String())
	}
	var inv profiles.Inventory
	if err := json.Unmarshal(run(exitOK, "--user", "alice", "--force", "--json").stdout.Bytes(), &inv); err != nil || inv.User != "alice" || len(inv.Nodes) != 3 {
		t.Errorf("%v: %+v", err, inv)
	}
	written, err := profiles.LoadInventory(filepath.Join(dir, "inventory.yaml"))
	if err != nil || written.User != "alice" {
		t.Errorf("%v: %+v", err, written)
	}
}

func TestClusterUsage(t *testing.T) {
	t.Parallel()
	l := &lab{dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(l.dir, "lab.yaml"), []byte("user: u\nnodes: [{name: a, host: 127.0.0.1, port: 1}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no key":        {[]string{"push"}, "no key to log in with"},
		"unknown node":  {[]string{"push", "--node", "b"}, "no node b in the inventory"},
		"no batch":      {[]string{"start"}, "want a batch file"},
		"two of a kind": {[]string{"start", "b.yaml", "--join", "nats://x:1", "--coordinator", "a", "--port", "-1", "--keep", "screen"}, "want one of auto, systemd, setsid"},
		"a grace":       {[]string{"stop", "--grace", "-1s"}, "--grace -1s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := l.command(t, c.args...)
			cmd.wantCode(t, cmd.code(t, cmd.Run()), exitUsage)
			if !strings.Contains(cmd.stderr.String(), c.want) {
				t.Errorf("%s", cmd.stderr.String())
			}
		})
	}
}

// What differs between nodes is said with their names, what does not once for all.
func TestPrintFindings(t *testing.T) {
	t.Parallel()
	d := func(governor string) cluster.Diagnosis {
		var d cluster.Diagnosis
		text := fmt.Sprintf(`{"level":"warn","checks":[{"name":"smt","level":"note","found":"on"},{"name":"governor","level":%q,"found":%q,"fix":"cpupower"},{"name":"ksm","level":"ok","found":"off"}]}`,
			map[string]string{"powersave": "warn", "performance": "ok"}[governor], governor)
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	var out strings.Builder
	outcomes := []cluster.Outcome{{Node: "a"}, {Node: "b"}, {Node: "c"}}
	printFindings(&out, outcomes, map[string]cluster.Diagnosis{"a": d("performance"), "b": d("powersave")})
	want := "warn  governor         powersave   on b\n                       → cpupower\nnote  smt              on   on all 2\n\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
