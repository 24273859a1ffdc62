package main

import (
	"testing"

	"golang.org/x/sys/unix"

	"edgebench/target/worker"
)

// A node of python workers serves, and leaves none behind when it is killed in the
// midst of requests.
func TestPythonNode(t *testing.T) {
	t.Parallel()
	probe, err := worker.Open("python-exec", worker.Options{})
	if err != nil {
		t.Skip(err) // it names what is not installed
	}
	_ = probe.Close()
	for _, runtime := range []string{"python", "python-exec"} {
		p := three(t, "--runtime", runtime, "--work", "cpu")
		if n := <-p.load(5); n != 5 {
			t.Errorf("%s: %d of 5 answered", runtime, n)
		}
		s := p.stats()
		if (s.Pids.Template != 0) != (runtime == "python") || len(s.Pids.Workers) != 3 {
			t.Errorf("%s: %+v", runtime, s)
		}
		p.freeze()
		answered := p.load(3)
		p.untilBusy(3)
		p.signal(unix.SIGKILL)
		p.wait()
		<-answered
		awaitGone(s.children())
	}
}
