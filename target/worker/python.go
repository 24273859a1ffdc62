package worker

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// systemPython is tried first: the one that Debian's python3-pil belongs to,
// while another python3 may come earlier on PATH.
const systemPython = "/usr/bin/python3"

//go:embed worker.py
var pythonWorker string

// pythonProbe asks an interpreter where and what it is; a wrapper script on PATH
// answers with the real one. It imports what the worker needs.
const pythonProbe = `import sys, ctypes, mmap, socket, struct, platform
socket.recv_fds
try:
    import PIL.Image
    pillow = PIL.__version__
except ImportError:
    pillow = ""
print(sys.executable, platform.python_version(), pillow, sep="\n")`

// A python is an interpreter by its own account.
type python struct {
	path, version string
	pillow        string // version, empty without
}

func openPython(o Options) (Runtime, error) {
	py, err := findPython(o, systemPython, "python3")
	if err != nil {
		return nil, err
	}
	return openTemplate(py.program(), o)
}

func openPythonExec(o Options) (Runtime, error) {
	py, err := findPython(o, systemPython, "python3")
	if err != nil {
		return nil, err
	}
	return newExec(py.program(), o), nil
}

// findPython takes the first candidate that has Pillow, else the first that works
// if the work needs none. A candidate without a slash is looked up on PATH.
func findPython(o Options, candidates ...string) (python, error) {
	var first *python
	var tried []string
	for _, name := range candidates {
		py, err := probePython(o, name)
		switch {
		case err != nil:
			tried = append(tried, err.Error())
		case py.pillow != "":
			return py, nil
		case first == nil:
			first = &py
		}
	}
	switch {
	case first == nil:
		return python{}, fmt.Errorf("no usable python3 (%s): %w; on Debian: apt-get install python3 python3-pil",
			strings.Join(tried, "; "), ErrMissing)
	case o.Work == Image:
		return python{}, fmt.Errorf("work image: %s (%s) has no Pillow: %w; on Debian: apt-get install python3-pil",
			first.path, first.version, ErrMissing)
	}
	return *first, nil
}

func probePython(o Options, name string) (python, error) {
	ctx, cancel := context.WithTimeout(context.Background(), o.ReadyTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, pythonArgs(pythonProbe)...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, lastLine(string(exit.Stderr)))
		}
		return python{}, fmt.Errorf("%s: %w", name, err)
	}
	told := strings.Split(string(out), "\n")
	if len(told) != 4 || told[0] == "" {
		return python{}, fmt.Errorf("%s: its answer %q is not a python3's", name, out)
	}
	return python{path: told[0], version: told[1], pillow: told[2]}, nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// pythonArgs runs a script without what depends on where we are: isolated
// from the environment and the current folder, and writing no compiled files.
func pythonArgs(script string, more ...string) []string {
	return append([]string{"-I", "-B", "-c", script}, more...)
}

func (py python) program() program {
	about := fmt.Sprintf("%s, version %s, without Pillow", py.path, py.version)
	if py.pillow != "" {
		about = fmt.Sprintf("%s, version %s, with Pillow %s", py.path, py.version, py.pillow)
	}
	sizes := fmt.Sprintf("%d,%d,%d,%d", imageWidth, imageHeight, thumbWidth, thumbHeight)
	return program{executed: "python-exec", forked: "python", about: about,
		argv: func(role string, o Options) (string, []string) {
			args := pythonArgs(pythonWorker, role, strconv.FormatInt(o.Heap, 10), o.Work, sizes)
			return py.path, append([]string{py.path}, args...)
		}}
}
