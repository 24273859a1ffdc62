package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/loadgen/cluster/remote"
	"edgebench/loadgen/cluster/sshdtest"
	"edgebench/profiles"
)

// programs are built once: static ones, as a node gets them.
var programs string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cluster-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	for _, name := range Programs {
		build := exec.Command("go", "build", "-ldflags", "-s -w -X main.name="+name, "-o", filepath.Join(dir, name), "./testdata/job")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
			return 1
		}
	}
	programs = dir
	return m.Run()
}

// lab is a cluster of that many machines, each an sshd with a home of its own; the
// last one's login shell is tcsh.
func lab(t *testing.T, machines int) (*Cluster, []*sshdtest.Server) {
	t.Helper()
	inv := &profiles.Inventory{Name: "lab", Folder: "edge/bench"}
	var servers []*sshdtest.Server
	for i := range machines {
		c := sshdtest.Config{}
		if i == machines-1 {
			c.Shell = "/usr/bin/tcsh"
		}
		s := sshdtest.Start(t, c)
		servers = append(servers, s)
		inv.User, inv.Keys = s.User, append(inv.Keys, s.KeyFile)
		inv.Nodes = append(inv.Nodes, profiles.InventoryNode{Name: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Port: s.Port})
	}
	keys, err := remote.LoadKeys(inv.Keys, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &remote.Dialer{Keys: keys, Hosts: &remote.KnownHosts{Path: filepath.Join(t.TempDir(), "known"), AcceptNew: true}}
	t.Cleanup(func() { d.Close() })
	return &Cluster{Inventory: inv, Dialer: d, Timeout: 2 * time.Minute}, servers
}

// each acts on all nodes; none may fail.
func each(t *testing.T, c *Cluster, act func(context.Context, *Session) (string, error)) []Outcome {
	t.Helper()
	outcomes := c.Each(t.Context(), nil, act)
	for _, o := range outcomes {
		if o.Err != nil {
			t.Fatalf("%s: %v", o.Node, o.Err)
		}
	}
	return outcomes
}

func push(ctx context.Context, s *Session) (string, error) { return Push(ctx, s, programs) }

func TestPush(t *testing.T) {
	t.Parallel()
	c, servers := lab(t, 2)
	for _, o := range each(t, c, push) {
		if !strings.HasPrefix(o.Did, "got loadgen and target") {
			t.Errorf("first: %+v", o)
		}
	}
	for _, o := range each(t, c, push) {
		if o.Did != "has the same programs already" {
			t.Errorf("again: %+v", o)
		}
	}
	// A program that was damaged there comes anew, and alone.
	at := filepath.Join(servers[0].Home, "edge/bench/bin/target")
	if err := os.WriteFile(at, []byte("cut off"), 0o755); err != nil {
		t.Fatal(err)
	}
	outcomes := each(t, c, push)
	if !strings.HasPrefix(outcomes[0].Did, "got target,") || outcomes[1].Did != "has the same programs already" {
		t.Errorf("damaged: %+v", outcomes)
	}
	want, err := sumFile(filepath.Join(programs, "target"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sumFile(at); err != nil || got != want {
		t.Errorf("sum %s, %v; want %s", got, err, want)
	}
	if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(at), ".upload-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// A node that cannot be reached fails alone, and says why.
func TestANodeThatIsDown(t *testing.T) {
	t.Parallel()
	c, _ := lab(t, 1)
	c.Inventory.Nodes = append(c.Inventory.Nodes, profiles.InventoryNode{Name: "down", Host: "127.0.0.1", Port: 1})
	outcomes := c.Each(t.Context(), nil, push)
	if outcomes[0].Err != nil || outcomes[1].Err == nil || !strings.Contains(outcomes[1].Text, "refused") || !strings.Contains(outcomes[1].Text, "port 1") {
		t.Errorf("%+v", outcomes)
	}
	if only := c.Each(t.Context(), []string{"down"}, push); len(only) != 1 || only[0].Node != "down" {
		t.Errorf("%+v", only)
	}
	if err := Unknown(c.Inventory, []string{"down", "dwon"}); err == nil || !strings.Contains(err.Error(), "no node dwon in the inventory, which has n0, down") {
		t.Errorf("%v", err)
	}
}

func TestASecretIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	c, servers := lab(t, 1)
	for range 2 {
		each(t, c, func(ctx context.Context, s *Session) (string, error) {
			return "", s.Put(ctx, []byte("secret\n"), "token", 0o600)
		})
	}
	at := filepath.Join(servers[0].Home, "edge/bench/token")
	info, err := os.Stat(at)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if text, err := os.ReadFile(at); err != nil || string(text) != "secret\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// start is a job of the pushed program, with a session of its own: there may be no
// systemd here, and none of the machine's is to be used.
func start(mode string) func(context.Context, *Session) (string, error) {
	return func(ctx context.Context, s *Session) (string, error) {
		return Start(ctx, s, Job{Name: "worker", Argv: []string{"./bin/loadgen", mode, "two words"}, Ready: "ready to serve", How: Setsid})
	}
}

func stop(grace time.Duration) func(context.Context, *Session) (string, error) {
	return func(ctx context.Context, s *Session) (string, error) {
		return Stop(ctx, s, grace, "worker", "coordinator")
	}
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	c, servers := lab(t, 2)
	t.Cleanup(func() { c.Each(context.Background(), nil, stop(0)) })
	each(t, c, push)
	for _, o := range each(t, c, start("plain")) {
		if !strings.HasPrefix(o.Did, "worker started (setsid, pid ") {
			t.Errorf("%+v", o)
		}
	}
	for _, o := range each(t, c, start("plain")) {
		if o.Did != "worker runs already" {
			t.Errorf("again: %+v", o)
		}
	}
	for _, o := range c.Each(t.Context(), nil, start("parent")) {
		failed, ok := errors.AsType[*remote.CommandError](o.Err)
		if !ok || failed.Code != 1 || !strings.Contains(o.Text, "under other arguments: ./bin/loadgen plain two words (") {
			t.Errorf("otherwise: %+v", o)
		}
	}
	for _, o := range each(t, c, stop(time.Minute)) {
		if o.Did != "worker ended" {
			t.Errorf("%+v", o)
		}
	}
	for _, o := range each(t, c, stop(time.Minute)) {
		if o.Did != "nothing ran" {
			t.Errorf("again: %+v", o)
		}
	}
	for _, s := range servers {
		if found := running(t, s); len(found) > 0 {
			t.Errorf("left: %v", found)
		}
	}
}

// running are the processes of a server's programs.
func running(t *testing.T, s *sshdtest.Server) []string {
	t.Helper()
	var found []string
	exes, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, exe := range exes {
		if to, err := os.Readlink(exe); err == nil && strings.HasPrefix(to, s.Home+"/") {
			found = append(found, exe)
		}
	}
	return found
}

// What does not end at SIGTERM is killed, with what it started.
func TestStopOfWhatDoesNotWantTo(t *testing.T) {
	t.Parallel()
	c, servers := lab(t, 1)
	t.Cleanup(func() { c.Each(context.Background(), nil, stop(0)) })
	each(t, c, push)
	each(t, c, start("parent"))
	if found := running(t, servers[0]); len(found) != 2 {
		t.Fatalf("%d processes, want parent and child", len(found))
	}
	if o := each(t, c, stop(0))[0]; o.Did != "worker killed after 0s" {
		t.Errorf("%+v", o)
	}
	if found := running(t, servers[0]); len(found) > 0 {
		t.Errorf("left: %v", found)
	}
}

// A program of ours that somebody started by hand is named, and goes on.
func TestStopLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	c, servers := lab(t, 1)
	each(t, c, push)
	by := exec.Command(filepath.Join(servers[0].Home, "edge/bench/bin/target"), "plain")
	out, err := by.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := by.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { by.Process.Kill(); by.Wait() }()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	o := c.Each(t.Context(), nil, stop(0))[0]
	if o.Err == nil || !strings.Contains(o.Text, fmt.Sprintf("left alone: target (%d)", by.Process.Pid)) {
		t.Errorf("%+v", o)
	}
	if err := by.Process.Signal(os.Interrupt); err != nil {
		t.Errorf("it is gone: %v", err)
	}
}

func TestStartOfWhatBreaks(t *testing.T) {
	t.Parallel()
	c, _ := lab(t, 1)
	each(t, c, push)
	o := c.Each(t.Context(), nil, start("broken"))[0]
	failed, ok := errors.AsType[*remote.CommandError](o.Err)
	if !ok || failed.Code != 1 || !strings.Contains(failed.Stderr, "worker ended at once:\nno such batch") {
		t.Errorf("%+v", o)
	}
}

func TestProgramsForANode(t *testing.T) {
	t.Parallel()
	if p, err := FindProgram(programs, "loadgen", "x86_64"); err != nil || p.Size == 0 || len(p.Sum) != 64 {
		t.Errorf("%+v, %v", p, err)
	}
	for machine, want := range map[string]string{"aarch64": "linux-arm64", "riscv64": `type "riscv64"`} {
		if _, err := FindProgram(programs, "loadgen", machine); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", machine, err)
		}
	}
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(shell, filepath.Join(dir, "loadgen")); err != nil {
		t.Fatal(err)
	}
	if _, err := FindProgram(dir, "loadgen", "x86_64"); err == nil || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Errorf("one that is not static: %v", err)
	}
}
