package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// program is the node's file name.
const program = "target"

// ErrNotFound means that there is no target program to start.
var ErrNotFound = errors.New("no target program")

// Find returns the path of the target program: beside the running executable,
// else on PATH.
func Find() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved // a link to loadgen on PATH still finds its neighbour
	}
	return findBeside(filepath.Dir(self))
}

func findBeside(dir string) (string, error) {
	beside := filepath.Join(dir, program)
	// LookPath of a path with a slash checks that one file alone.
	path, err := exec.LookPath(beside)
	if err == nil {
		return path, nil
	}
	unusable := errors.Is(err, fs.ErrPermission)
	// A hit in the current folder is an error of LookPath, and not ours to start.
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	if unusable {
		return "", fmt.Errorf("%w: %s is there but not executable: `chmod +x` it, or `make build` builds it anew", ErrNotFound, beside)
	}
	return "", fmt.Errorf("%w: neither %s nor on PATH: `make build` builds it", ErrNotFound, beside)
}
