package fitter

import (
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// An Engine is the program that fits. The zero Engine is this binary's own.
type Engine struct {
	path string
	args []string // argv, its first word included
	env  []string // beside the node's
}

// ErrMissing is about a program or a package of another engine that is not there.
var ErrMissing = errors.New("missing")

//go:embed statsmodels.py
var statsmodels string

// Statsmodels fits by the Python package of that name, in one thread: slower and
// larger than ours, for the study's own cost.
func Statsmodels() (Engine, error) {
	// Debian's package belongs to the system's interpreter; another may come first on PATH.
	return pythonEngine("/usr/bin/python3", "python3")
}

// pythonEngine takes the first candidate that has the package. It looks for it
// without importing it, which takes most of a second.
func pythonEngine(candidates ...string) (Engine, error) {
	const probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('statsmodels') is None)"
	var tried []string
	for _, name := range candidates {
		path, err := exec.LookPath(name)
		if err != nil {
			tried = append(tried, name+" is not there")
			continue
		}
		if exec.Command(path, "-I", "-c", probe).Run() == nil {
			return Engine{
				path: path, args: []string{path, "-I", "-c", statsmodels},
				env: []string{"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"},
			}, nil
		}
		tried = append(tried, path+" has no package statsmodels")
	}
	return Engine{}, fmt.Errorf("statsmodels: %w: %s; on Debian: apt-get install python3-statsmodels", ErrMissing, strings.Join(tried, ", "))
}
