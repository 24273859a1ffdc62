package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"edgebench/loadgen/batch"
)

// quickLease makes what a lease decides visible within seconds.
var quickLease = []string{"--lease", "3s", "--beat", "300ms"}

// A crew is a coordinator and two workers, each a process that is started
// again after it was killed, at the same address and with the same folder.
type crew struct {
	t       *testing.T
	dir     string
	address string
	master  *served
	workers map[string]*command
	desks   string
}

func gather(t *testing.T, dir string) *crew {
	t.Helper()
	c := &crew{t: t, dir: dir, address: "127.0.0.1:0", workers: map[string]*command{}, desks: t.TempDir()}
	c.startMaster()
	for _, name := range []string{"a", "b"} {
		c.startWorker(name)
	}
	return c
}

func (c *crew) startMaster() {
	c.master = serve(c.t, c.dir, append([]string{"--listen", c.address}, quickLease...)...)
	u, err := url.Parse(c.master.url)
	if err != nil {
		c.t.Fatal(err)
	}
	c.address = u.Host
}

func (c *crew) startWorker(name string) {
	c.workers[name] = c.master.join(c.t, name, "--dir", filepath.Join(c.desks, name))
}

// kill ends processes the hard way, all of them before the first is started again.
func (c *crew) kill(master bool, workers ...string) {
	c.t.Helper()
	var killed []*command
	if master {
		killed = append(killed, c.master.command)
	}
	for _, name := range workers {
		killed = append(killed, c.workers[name])
	}
	for _, p := range killed {
		_ = p.Process.Kill() // it may have ended
	}
	for _, p := range killed {
		_ = p.Wait()
	}
}

// left names the processes that have something in their environment.
func left(text string) []string {
	var names []string
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(text)) {
			names = append(names, path)
		}
	}
	return names
}

// cutTails cuts the end of the store's files off, as a crash of a disk might.
func cutTails(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "n", "store"), func(path string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".blk" {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()*2/3)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// dropQueue deletes the queue's folder.
func dropQueue(t *testing.T, dir string) {
	t.Helper()
	found := false
	err := filepath.WalkDir(filepath.Join(dir, "n", "store"), func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == "edgebench-queue" {
			found = true
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			return filepath.SkipDir
		}
		return err
	})
	if err != nil || !found {
		t.Fatalf("queue found %v, %v", found, err)
	}
}

// Workers, coordinator and all at once are killed at random instants, the store
// is damaged, the queue deleted: in the end every trial was committed once, and
// nothing is left. EDGEBENCH_LONG=1 makes it 12 instants over 40 trials.
func TestKilledAtAnyInstantNothingIsLost(t *testing.T) {
	t.Parallel()
	trials, rounds := 6, 1
	if os.Getenv("EDGEBENCH_LONG") != "" {
		trials, rounds = 20, 2
	} else if testing.Short() {
		t.Skip("kills processes for many seconds")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := batchFolder(t, trials)
	c := gather(t, dir)
	blows := []func(){
		func() { c.kill(false, "a"); c.startWorker("a") },
		func() { c.kill(false, "a", "b"); c.startWorker("b"); c.startWorker("a") },
		func() { c.kill(true); c.startMaster() },
		func() { c.kill(true, "a", "b"); c.startMaster(); c.startWorker("a"); c.startWorker("b") },
		func() { c.kill(true); cutTails(t, dir); c.startMaster() },
		func() { c.kill(true, "b"); dropQueue(t, dir); c.startMaster(); c.startWorker("b") },
	}
	for range rounds {
		for _, i := range rng.Perm(len(blows)) {
			wait := time.Duration(rng.Int64N(int64(1500 * time.Millisecond)))
			t.Logf("blow %d after %v", i, wait)
			time.Sleep(wait) // the random instant: nothing is waited for
			if c.master.ended() {
				t.Log("the batch was over before the last blow")
				break
			}
			blows[i]()
		}
	}
	c.master.wantCode(t, c.master.code(t, c.master.Wait()), exitOK)
	for _, w := range c.workers {
		w.wantCode(t, w.code(t, w.Wait()), exitOK)
	}
	if all := committed(t, dir); len(all) != 2*trials {
		t.Errorf("%d results of %d trials", len(all), 2*trials)
	}
	partial, _ := filepath.Glob(filepath.Join(dir, "n", "results", ".*"))
	desks, _ := filepath.Glob(filepath.Join(c.desks, "*"))
	if processes := left(c.desks); len(partial)+len(desks)+len(processes) > 0 {
		t.Errorf("left: %v %v %v", partial, desks, processes)
	}
}

// A worker that is stopped past its lease loses its trial to another one; what it
// brings when it goes on is refused.
func TestAStoppedWorkerIsFenced(t *testing.T) {
	t.Parallel()
	dir := batchFolder(t, 3)
	c := gather(t, dir)
	a := c.workers["a"]
	var trial string
	eventually(t, "worker a is at a trial", func() bool {
		attempts, _ := filepath.Glob(filepath.Join(c.desks, "a", "attempts", "*-a1"))
		if len(attempts) > 0 {
			trial = strings.TrimSuffix(filepath.Base(attempts[0]), "-a1")
		}
		return trial != ""
	})
	if err := a.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its trial is handed out again", func() bool {
		return strings.Contains(c.master.stderr.String(), "trial "+trial+": worker a was not heard of") || c.master.ended()
	})
	if err := a.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	eventually(t, "what it brings is refused", func() bool {
		return strings.Contains(a.stderr.String(), trial+": "+batch.ErrFenced.Error()) || a.ended()
	})
	c.master.wantCode(t, c.master.code(t, c.master.Wait()), exitOK)
	for _, w := range c.workers {
		w.wantCode(t, w.code(t, w.Wait()), exitOK)
	}
	for _, r := range committed(t, dir) {
		if r.Trial.ID == trial && r.Attempt < 2 {
			t.Errorf("trial %s was committed as attempt %d of worker %s", trial, r.Attempt, r.Worker)
		}
	}
	if text := a.stderr.String(); !strings.Contains(text, batch.ErrFenced.Error()) {
		t.Errorf("worker a: %s", text)
	}
}

// A disk that fills up ends a batch with the reason; with room again it goes on.
func TestAFullDiskStopsABatch(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("mounting a small disk wants root")
	}
	dir := batchFolder(t, 3)
	disk := filepath.Join(dir, "n")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("small", disk, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("no small disk: mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	filler := filepath.Join(disk, "filler")
	fill := func() {
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for block := make([]byte, 64<<10); err == nil; {
			_, err = f.Write(block)
		}
	}
	run := func() *command {
		return inFolder(t, dir, "batch", "run", "night.yaml", "--out", "n", "--min-free", "8")
	}
	c := run()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a first result", func() bool {
		found, _ := filepath.Glob(filepath.Join(disk, "results", "[0-9a-f]*"))
		return len(found) > 0
	})
	fill()
	c.wantCode(t, c.code(t, c.Wait()), exitIncomplete)
	if text := c.stderr.String(); !strings.Contains(text, "disk is nearly full") {
		t.Errorf("stderr: %s", text)
	}
	full := run()
	full.wantCode(t, full.code(t, full.Run()), exitIncomplete)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	again := run()
	again.wantCode(t, again.code(t, again.Run()), exitOK)
	if all := committed(t, dir); len(all) != 6 {
		t.Errorf("%d results of 6 trials", len(all))
	}
}

// A node that fails twice in a row makes no more trials until somebody says so.
func TestABrokenNodeIsIsolated(t *testing.T) {
	t.Parallel()
	dir := batchFolder(t, 2)
	text, err := os.ReadFile(filepath.Join(dir, "night.yaml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "night.yaml"), bytes.Replace(text, []byte("retries: 0"), []byte("retries: 3"), 1), 0o644)
	}
	broken := t.TempDir() // loadgen alone, without a target
	if err == nil {
		err = os.Link(filepath.Join(bin, "loadgen"), filepath.Join(broken, "loadgen"))
	}
	if err != nil {
		t.Fatal(err)
	}
	c := serve(t, dir, append([]string{"--listen", "127.0.0.1:0", "--mirror", "shared"}, quickLease...)...)
	w := inFolder(t, dir, "worker", "--join", c.url, "--token-file", "token", "--name", "w", "--node", "broken", "--dir", filepath.Join(t.TempDir(), "w"))
	w.Path, w.Env = filepath.Join(broken, "loadgen"), []string{"PATH=/nowhere"}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the node is in quarantine", func() bool { return strings.Contains(w.stderr.String(), "quarantine") || w.ended() })
	status := inFolder(t, dir, "batch", "status", "n")
	status.wantCode(t, status.code(t, status.Run()), exitOK)
	if out := status.stdout.String(); !strings.Contains(out, "in quarantine: 2 attempts in a row failed on worker w") {
		t.Errorf("status:\n%s", out)
	}
	other := inFolder(t, dir, "batch", "lift", "n", "other")
	other.wantCode(t, other.code(t, other.Run()), exitUsage)
	if err := os.Link(filepath.Join(bin, "target"), filepath.Join(broken, "target")); err != nil {
		t.Fatal(err)
	}
	lift := inFolder(t, dir, "batch", "lift", "n", "broken")
	lift.wantCode(t, lift.code(t, lift.Run()), exitOK)
	c.wantCode(t, c.code(t, c.Wait()), exitOK)
	w.wantCode(t, w.code(t, w.Wait()), exitOK)
	if all := committed(t, dir); len(all) != 4 {
		t.Errorf("%d results of 4 trials", len(all))
	}
	// The mirror is a batch folder by itself.
	report := inFolder(t, dir, "batch", "report", "shared")
	report.wantCode(t, report.code(t, report.Run()), exitOK)
}

// A batch in progress tells what its workers do, by its folder and by its
// address; cancelled, it goes on later with what is left.
func TestABatchIsCancelledAndGoesOn(t *testing.T) {
	t.Parallel()
	dir := batchFolder(t, 2)
	c := gather(t, dir)
	var seen string
	eventually(t, "both workers are at work", func() bool {
		status := inFolder(t, dir, "batch", "status", c.master.url, "--token-file", "token")
		status.wantCode(t, status.code(t, status.Run()), exitOK)
		seen = status.stdout.String()
		return strings.Count(seen, batch.Working) == 2 || c.master.ended()
	})
	cancel := inFolder(t, dir, "batch", "cancel", "n")
	cancel.wantCode(t, cancel.code(t, cancel.Run()), exitOK)
	if out := cancel.stdout.String(); !strings.Contains(out, "verdict incomplete") || !strings.Contains(out, "0 running") {
		t.Errorf("cancel:\n%s\nafter\n%s", out, seen)
	}
	c.master.wantCode(t, c.master.code(t, c.master.Wait()), exitIncomplete)
	for _, w := range c.workers {
		w.wantCode(t, w.code(t, w.Wait()), exitOK)
	}
	again := inFolder(t, dir, "batch", "cancel", "n")
	again.wantCode(t, again.code(t, again.Run()), exitUsage)
	resumed := inFolder(t, dir, "batch", "resume", "n")
	resumed.wantCode(t, resumed.code(t, resumed.Run()), exitOK)
	all := committed(t, dir)
	if len(all) != 4 {
		t.Errorf("%d results of 4 trials", len(all))
	}
	for _, r := range all {
		if len(r.Errors) > 0 {
			t.Errorf("trial %s: %v: a cancelled attempt is none", r.Trial.ID, fmt.Sprint(r.Errors))
		}
	}
}
