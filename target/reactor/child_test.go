package reactor

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// childVar makes the test binary one of the servers that need a process of
// their own.
const childVar = "REACTOR_TEST_CHILD"

func TestMain(m *testing.M) {
	name := os.Getenv(childVar)
	if name == "" {
		os.Exit(m.Run())
	}
	servers := map[string]func() error{
		"fewDescriptors": fewDescriptors,
		"reactor":        serveReactor,
		"twoLoops":       func() error { return serveLoops(2) },
		"fasthttp":       serveFasthttp,
		"nethttp":        serveNetHTTP,
	}
	if err := servers[name](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// untilParentEnds is a context that ends when the parent closes our standard
// input, or dies.
func untilParentEnds() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return ctx
}

type child struct {
	addr string // what it printed first
	pid  int
}

// startChild starts one of the servers; it ends with the test.
func startChild(t testing.TB, name string) child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+name)
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
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
		hold.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("child %s: %v", name, err)
		}
	})
	c := child{pid: cmd.Process.Pid}
	if _, err := fmt.Fscan(out, &c.addr); err != nil {
		t.Fatalf("child %s: %v", name, err)
	}
	return c
}
