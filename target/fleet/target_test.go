package fleet

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The flags this package passes are a contract with the target program: this
// starts the real one with every option away from its default.
func TestRealTarget(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the target program")
	}
	binary := filepath.Join(t.TempDir(), program)
	build := exec.Command("go", "build", "-o", binary, "edgebench/target")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	phase := 50 * time.Millisecond
	n, err := Start(t.Context(), Config{
		Binary: binary,
		Options: Options{
			Listen: "127.0.0.1:0", Policy: "static", Workers: 2, Runtime: "exec",
			Service: time.Millisecond, ServiceLaw: "exponential", Miss: "queue", MissWait: time.Millisecond,
			IdleTimeout: time.Minute, Scavenge: 30 * time.Second, Tick: time.Second, TickPhase: &phase,
			MaxWorkers: 3, Reactors: 2, Heap: 1 << 20, StartDelay: time.Millisecond, Seed: 7,
		},
		StopTimeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.kill)
	if n.PID != n.cmd.Process.Pid || n.Policy != "static" || n.Runtime != "exec" {
		t.Errorf("ready %+v, started pid %d", n.Ready, n.cmd.Process.Pid)
	}
	response, err := http.Get("http://" + n.Addr + "/invoke")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("/invoke: %s\n%s", response.Status, n.Log())
	}
	if err := n.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", n.PID)); err == nil {
		t.Errorf("pid %d is still there", n.PID)
	}
}
