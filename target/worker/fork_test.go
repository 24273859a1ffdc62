package worker

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/proctest"
	"edgebench/target/smaps"
)

// eachTemplated runs a test for every runtime that forks its workers; executed is
// what it falls back to.
func eachTemplated(t *testing.T, f func(t *testing.T, kind, executed string)) {
	for _, kind := range templated {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			installed(t, kind, Sleep)
			f(t, kind, map[string]string{"fork": "exec", "python": "python-exec"}[kind])
		})
	}
}

func TestTemplateRestarts(t *testing.T) {
	t.Parallel()
	eachTemplated(t, testTemplateRestarts)
}

func testTemplateRestarts(t *testing.T, kind, executed string) {
	events := make(chan Event, 100)
	r := open(t, kind, Options{Events: func(e Event) { events <- e }}).(*forkRuntime)
	survivor := start(t, r)
	first := (<-events).PID
	if first == 0 || first != r.TemplatePID() || status(first, "Name") != TemplateName {
		t.Fatalf("template %d, told %d, named %q", r.TemplatePID(), first, status(first, "Name"))
	}
	if err := unix.Kill(first, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := <-events; e.Kind != TemplateEnd || e.PID != first || !strings.Contains(e.Err.Error(), "killed") {
		t.Errorf("event %+v, want the end of template %d", e, first)
	}
	if w := start(t, r); w.Kind != executed {
		t.Errorf("worker without a template came by %s", w.Kind)
	}
	for kind := EventKind(""); kind != TemplateStart; {
		e := <-events // the fallback and the new template, in either order
		if kind = e.Kind; kind == TemplateEnd {
			t.Fatalf("event %+v", e)
		}
	}
	for { // the event comes before the template is in its place
		w := start(t, r)
		if _, err := w.Do(Request{}); err != nil {
			t.Error(err)
		}
		if w.Kind == kind {
			break
		}
	}
	if second := r.TemplatePID(); second == 0 || second == first {
		t.Errorf("template %d after %d was killed", second, first)
	}
	if _, err := survivor.Do(Request{}); err != nil {
		t.Errorf("worker of the killed template: %v", err)
	}
}

// A template killed between the clone and its reply leaves a worker of which only
// the worker itself can tell. The test plays the template.
func TestWorkerOfADyingTemplateIsKept(t *testing.T) {
	t.Parallel()
	r := open(t, "fork", Options{}).(*forkRuntime)
	living := r.template
	control, ours, err := socketPair("played template")
	if err != nil {
		t.Fatal(err)
	}
	played := &template{process: living.process, control: control, turn: make(chan struct{}, 1), patience: time.Minute}
	played.turn <- struct{}{}
	told := make(chan int, 1)
	go func() {
		defer close(told)
		in := newInbox(uintptr(ours))
		if more, err := in.receive(); err != nil || !more {
			t.Errorf("no command: %v", err)
			return
		}
		path, argv := r.exec.program.argv(WorkerName, r.exec.options)
		pid, err := r.exec.spawner.start(path, argv, int(in.rights.fd))
		if err != nil {
			t.Error(err)
		}
		unix.Close(int(in.rights.fd))
		unix.Close(ours) // no reply
		told <- pid
	}()
	w, err := r.fork(context.Background(), played)
	if err != nil {
		t.Fatal(err)
	}
	_ = control.Close()
	if pid := <-told; w.PID != pid {
		t.Errorf("worker has pid %d, want %d", w.PID, pid)
	}
	if _, err := w.Do(Request{}); err != nil {
		t.Error(err)
	}
	if exit := w.Stop(time.Minute); !exit.Clean() {
		t.Error(exit)
	}
}

func TestHungTemplateIsReplaced(t *testing.T) {
	t.Parallel()
	eachTemplated(t, func(t *testing.T, kind, executed string) {
		r := open(t, kind, Options{}).(*forkRuntime)
		r.template.patience = 10 * time.Millisecond
		proctest.Stop(t, r.TemplatePID())
		if w := start(t, r); w.Kind != executed {
			t.Errorf("worker of a stopped template came by %s", w.Kind)
		}
	})
}

// A template that cannot fork says why and stays. The limit that makes clone fail
// does not bind root, so a root's test hands the node to nobody.
func TestCloneFails(t *testing.T) {
	t.Parallel()
	eachTemplated(t, testCloneFails)
}

func testCloneFails(t *testing.T, kind, _ string) {
	node := exec.Command("/proc/self/exe")
	node.Env = append(os.Environ(), limitedRole+"="+kind)
	if os.Getuid() == 0 {
		node.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := node.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("start worker: clone: resource temporarily unavailable\n")) {
		t.Errorf("%v: %s", err, out)
	}
}

func startLimited(kind string) error {
	opened, err := Open(kind, Options{Heap: 1 << 20})
	if err != nil {
		return err
	}
	defer opened.Close()
	template := opened.(*forkRuntime).TemplatePID()
	limit := unix.Rlimit{Cur: 1, Max: 1}
	if err := unix.Prlimit(template, unix.RLIMIT_NPROC, &limit, nil); err != nil {
		return os.NewSyscallError("prlimit", err)
	}
	_, err = opened.Start(context.Background())
	fmt.Println(err)
	if after := opened.(*forkRuntime).TemplatePID(); after != template {
		return fmt.Errorf("template %d was replaced by %d", template, after)
	}
	return nil
}

func TestNoLeaks(t *testing.T) {
	for kind, cycles := range map[string]int{"fork": 1000, "python": 200} {
		t.Run(kind, func(t *testing.T) {
			installed(t, kind, Sleep)
			if testing.Short() {
				cycles /= 10
			}
			testNoLeaks(t, kind, cycles)
		})
	}
}

func testNoLeaks(t *testing.T, kind string, cycles int) {
	r := open(t, kind, Options{}).(*forkRuntime)
	count := func() (open, goroutines, template int, memory int64) {
		m, err := smaps.Read(r.TemplatePID())
		if err != nil {
			t.Fatal(err)
		}
		return len(descriptors(t, os.Getpid())), runtime.NumGoroutine(), len(descriptors(t, r.TemplatePID())), m.RSS
	}
	cycle := func() {
		if err := oneOff(r, kind); err != nil {
			t.Fatal(err)
		}
	}
	cycle() // whatever is made once
	open0, goroutines0, template0, memory0 := count()
	for range cycles {
		cycle()
	}
	open1, goroutines1, template1, memory1 := count()
	// The last worker's clean-up may still run.
	if open1 > open0+2 || goroutines1 > goroutines0+2 || template1 != template0 {
		t.Errorf("after %d cycles: descriptors %d → %d, goroutines %d → %d, the template's descriptors %d → %d",
			cycles, open0, open1, goroutines0, goroutines1, template0, template1)
	}
	if memory1 > memory0+1<<20 { // 1,000 leaks of a kB would show
		t.Errorf("after %d cycles the template has %d bytes, %d before", cycles, memory1, memory0)
	}
	noZombies(t)
}

// noZombies looks at every child of this process, but for those that have just
// ended and whose reaper is about to run: it asks each zombie twice.
func noZombies(t *testing.T) {
	t.Helper()
	left := zombies(t)
	for range 1000 {
		if len(left) == 0 {
			return
		}
		runtime.Gosched()
		now := zombies(t)
		left = slices.DeleteFunc(left, func(pid string) bool { return !slices.Contains(now, pid) })
	}
	t.Errorf("zombies %v", left)
}

func zombies(t *testing.T) []string {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, thread := range threads {
		children, err := os.ReadFile("/proc/self/task/" + thread.Name() + "/children")
		if err != nil {
			continue // a thread that ended, or a kernel without the file
		}
		for child := range strings.FieldsSeq(string(children)) {
			pid, _ := strconv.Atoi(child)
			if strings.HasPrefix(status(pid, "State"), "Z") {
				found = append(found, child)
			}
		}
	}
	return found
}

// Ordinary Go in a forked child hangs within 200 forks; this shows that ours
// does not in 10,000.
func TestTenThousandForks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds")
	}
	r := open(t, "fork", Options{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 2_500 {
				if err := oneOff(r, "fork"); err != nil {
					t.Errorf("fork %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
	noZombies(t)
}

// oneOff is a worker for one request.
func oneOff(r Runtime, kind string) error {
	w, err := r.Start(context.Background())
	if err != nil {
		return err
	}
	if w.Kind != kind {
		return fmt.Errorf("started by %s", w.Kind)
	}
	if _, err := w.Do(Request{Deadline: time.Now().Add(time.Minute)}); err != nil {
		return err
	}
	if exit := w.Stop(time.Minute); !exit.Clean() {
		return fmt.Errorf("%v", exit)
	}
	return nil
}

// What copy-on-write saves: printed, for the reader.
func TestForkedWorkersShareTheirHeap(t *testing.T) {
	const workers, heap = 15, 100_000_000
	if testing.Short() {
		t.Skip("touches 100 MB")
	}
	for _, kind := range templated {
		installed(t, kind, Sleep)
		r := open(t, kind, Options{Heap: heap}).(*forkRuntime)
		var sum smaps.Memory
		for range workers {
			w := start(t, r)
			if _, err := w.Do(Request{}); err != nil {
				t.Fatal(err)
			}
			defer w.Stop(time.Minute)
		}
		for child := range r.exec.roster.living { // the template too
			m, err := smaps.Read(child.pid)
			if err != nil {
				t.Fatal(err)
			}
			sum = sum.Add(m)
		}
		t.Logf("%s: template and %d workers of %d MB: RSS sum %d MB, PSS sum %d MB", kind, workers, heap/1_000_000, sum.RSS/1_000_000, sum.PSS/1_000_000)
		if sum.PSS > 2*heap || sum.RSS < workers*heap {
			t.Errorf("%s: RSS sum %d, PSS sum %d: the heap is not shared", kind, sum.RSS, sum.PSS)
		}
	}
}
