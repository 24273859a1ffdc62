package engine

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// childVariable names the test that a process was started for, and childArgument
// is what it was given.
const (
	childVariable = "ENGINE_TEST_CHILD"
	childArgument = "ENGINE_TEST_ARGUMENT"
)

// inChild runs body, a test's only content, in a process of its own, which may
// then be given limits that cannot be taken back.
func inChild(t *testing.T, attr *syscall.SysProcAttr, argument string, body func(t *testing.T, argument string)) {
	t.Helper()
	if os.Getenv(childVariable) == t.Name() {
		body(t, os.Getenv(childArgument))
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), childVariable+"="+t.Name(), childArgument+"="+argument)
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("%v\n%s", err, out)
	}
}
