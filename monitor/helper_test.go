package monitor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// helperEnv makes the test binary one of the processes of a tree.
const helperEnv = "MONITOR_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperEnv) {
	case "node":
		helperNode()
	case "worker":
		helperWorker(os.Args[1:])
	default:
		os.Exit(m.Run())
	}
}

// A node is a process with children, on command.
type node struct {
	pid   int
	in    io.Writer
	lines *bufio.Scanner
	cmd   *exec.Cmd
}

func startNode(t testing.TB) *node {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), helperEnv+"=node")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close() // the node ends, and its workers with it
		_ = cmd.Wait()
	})
	return &node{pid: cmd.Process.Pid, in: in, lines: bufio.NewScanner(out), cmd: cmd}
}

// ask sends a command and returns the answer, which says that it is done.
func (n *node) ask(t testing.TB, format string, args ...any) string {
	t.Helper()
	fmt.Fprintf(n.in, format+"\n", args...)
	if !n.lines.Scan() {
		t.Fatalf("node: no answer to "+format+": %v", append(args, n.lines.Err())...)
	}
	return n.lines.Text()
}

func (n *node) spawn(t testing.TB, name string, args ...string) int {
	t.Helper()
	pid, err := strconv.Atoi(n.ask(t, "spawn %s %s", name, strings.Join(args, " ")))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// helperNode obeys lines on its input: "spawn NAME ARGS…" answers the pid of a
// ready child, "kill PID" kills and waits for it, "zombie PID" kills it and
// waits until it is a zombie, "reap PID" waits for that one, "ignore" ignores
// SIGCHLD, "exec PID" has a child exec itself.
func helperNode() {
	children, inputs, outputs := map[string]*exec.Cmd{}, map[string]io.Writer{}, map[string]*bufio.Reader{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "spawn":
			cmd := exec.Command("/proc/self/exe", words[1:]...)
			cmd.Env = append(os.Environ(), helperEnv+"=worker")
			cmd.Stderr = os.Stderr
			stdin, err := cmd.StdinPipe()
			check(err)
			stdout, err := cmd.StdoutPipe()
			check(err)
			check(cmd.Start())
			answers := bufio.NewReader(stdout)
			_, err = answers.ReadString('\n')
			check(err)
			pid := strconv.Itoa(cmd.Process.Pid)
			// The input stays open until the node ends: that is what the child waits for.
			children[pid], inputs[pid], outputs[pid] = cmd, stdin, answers
			fmt.Println(pid)
		case "kill":
			check(children[words[1]].Process.Kill())
			_ = children[words[1]].Wait() // "signal: killed"
			fmt.Println("killed")
		case "zombie":
			pid, _ := strconv.Atoi(words[1])
			check(unix.Kill(pid, unix.SIGKILL))
			// WNOWAIT leaves the zombie for later.
			check(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
			fmt.Println("zombie")
		case "reap":
			_ = children[words[1]].Wait()
			fmt.Println("reaped")
		case "exec":
			_, err := io.WriteString(inputs[words[1]], "exec\n")
			check(err)
			_, err = outputs[words[1]].ReadString('\n')
			check(err)
			fmt.Println("executed")
		case "ignore":
			signal.Ignore(unix.SIGCHLD)
			fmt.Println("ignored")
		}
	}
	os.Exit(0)
}

// helperWorker takes a name and then "alloc MB", "map FILE", "burn MS" and
// "child NAME", gets ready and stays until its input ends. The line "exec"
// makes it an edge-worker by an exec.
func helperWorker(args []string) {
	name, args := args[0], args[1:]
	check(os.WriteFile("/proc/self/comm", []byte(name), 0))
	var keep [][]byte
	for ; len(args) > 1; args = args[2:] {
		switch args[0] {
		case "alloc":
			mb, _ := strconv.Atoi(args[1])
			keep = append(keep, touched(mb))
		case "map":
			keep = append(keep, mapped(args[1]))
		case "burn":
			ms, _ := strconv.Atoi(args[1])
			burn(time.Duration(ms) * time.Millisecond)
		case "child":
			child(args[1])
		}
	}
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); { // one "exec", else nothing
		check(unix.Exec("/proc/self/exe", []string{"worker", "edge-worker"}, os.Environ()))
	}
	if len(keep) > 1<<20 {
		panic("only keeps the memory alive")
	}
	os.Exit(0)
}

// child starts a child that has our input, so that it outlives us.
func child(name string) {
	cmd := exec.Command("/proc/self/exe", name)
	cmd.Stdin = os.Stdin
	stdout, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	_, err = bufio.NewReader(stdout).ReadString('\n')
	check(err)
}

func touched(mb int) []byte {
	b, err := unix.Mmap(-1, 0, mb<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
	check(err)
	return b
}

// mapped shares the pages of a file with everyone who does the same.
func mapped(path string) []byte {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	check(err)
	info, err := f.Stat()
	check(err)
	b, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	check(err)
	return b
}

// burn uses CPU time, not wall time, so that a busy machine changes nothing.
func burn(d time.Duration) {
	for begin := ownCPU(); ownCPU()-begin < d; {
	}
}

func ownCPU() time.Duration {
	d, err := cpuClock(unix.CLOCK_PROCESS_CPUTIME_ID)
	check(err)
	return d
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "monitor test process:", err)
		syscall.Exit(1)
	}
}

func liveFS(t testing.TB) FS {
	t.Helper()
	f, err := NewFS(Proc)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func watch(t testing.TB, f FS, pid int) *Tree {
	t.Helper()
	tree, err := NewTree(f, pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tree.Close)
	return tree
}

// look is a whole row's worth of reading at once.
func look(t testing.TB, tree *Tree) Row {
	t.Helper()
	var row Row
	if err := tree.sweep(true); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.readOldest(len(tree.order), 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := tree.measure(&row, 0); err != nil {
		t.Fatal(err)
	}
	return row
}
