package engine

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// node builds the bundled worker node and starts one, which ends with its
// standard input, and so with the benchmark.
func node(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "target")
	if out, err := exec.Command("go", "build", "-o", program, "edgebench/target").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "--listen", "127.0.0.1:0", "--policy", "static", "--workers", "1", "--heap", "1MB", "--attached")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		b.Fatalf("no ready line: %v", err)
	}
	var ready struct{ Addr string }
	if err := json.Unmarshal(line, &ready); err != nil || ready.Addr == "" {
		b.Fatalf("ready line %q: %v", line, err)
	}
	return ready.Addr
}
