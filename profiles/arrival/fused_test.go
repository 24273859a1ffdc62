package arrival

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// On arm64 the compiler fuses a product with a sum unless the product is
// converted; a fused one rounds differently, and one schedule would have two
// hashes. The hashes are pinned in TestGoldenHashes, but only for the machine that
// runs the tests, so look at the code made for the other one.
func TestNoFusedArithmetic(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the package and what it imports for arm64")
	}
	t.Parallel()
	archive := filepath.Join(t.TempDir(), "arrival.a")
	build := exec.Command("go", "build", "-o", archive, ".")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	text, err := exec.Command("go", "tool", "objdump", archive).Output()
	if err != nil {
		t.Fatalf("go tool objdump: %v", err)
	}
	if len(text) == 0 {
		t.Fatal("the disassembly is empty")
	}
	for _, line := range regexp.MustCompile(`(?m)^.*\bFN?M(ADD|SUB)[DS]\b.*$`).FindAll(text, -1) {
		t.Errorf("fused: %s", line)
	}
}
