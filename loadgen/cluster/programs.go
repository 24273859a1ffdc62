package cluster

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Programs are the names of what is pushed.
var Programs = []string{"loadgen", "target"}

// A Program is a binary to push.
type Program struct {
	Name, Path, Sum string
	Size            int64
}

// machines are the names of uname -m that we build for.
var machines = map[string]struct {
	arch string
	elf  elf.Machine
}{
	"x86_64": {"amd64", elf.EM_X86_64}, "amd64": {"amd64", elf.EM_X86_64},
	"aarch64": {"arm64", elf.EM_AARCH64}, "arm64": {"arm64", elf.EM_AARCH64},
}

// FindProgram looks for a program for a machine, named as by uname -m: dir/NAME
// when it is one for that, else dir/linux-ARCH/NAME. It must be static.
func FindProgram(dir, name, machine string) (Program, error) {
	m, known := machines[machine]
	if !known {
		return Program{}, fmt.Errorf("a machine of type %q: there are programs for x86_64 and aarch64", machine)
	}
	candidates := []string{filepath.Join(dir, name), filepath.Join(dir, "linux-"+m.arch, name)}
	for _, path := range candidates {
		p, err := readProgram(path, name, m.elf)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errOtherMachine) {
			continue
		}
		return p, err
	}
	return Program{}, fmt.Errorf("no %s for %s: neither %s nor %s is one; `make cross` builds them", name, machine, candidates[0], candidates[1])
}

var errOtherMachine = errors.New("for another machine")

func readProgram(path, name string, want elf.Machine) (Program, error) {
	f, err := os.Open(path)
	if err != nil {
		return Program{}, err
	}
	defer f.Close()
	binary, err := elf.NewFile(f)
	if err != nil {
		return Program{}, fmt.Errorf("%s: %w", path, err)
	}
	if binary.Machine != want {
		return Program{}, errOtherMachine
	}
	for _, p := range binary.Progs {
		if p.Type == elf.PT_INTERP {
			return Program{}, fmt.Errorf("%s needs a loader and libraries that a node may not have: build it with CGO_ENABLED=0, as `make build` does", path)
		}
	}
	h := sha256.New()
	size, err := io.Copy(h, io.NewSectionReader(f, 0, 1<<62))
	if err != nil {
		return Program{}, fmt.Errorf("%s: %w", path, err)
	}
	return Program{Name: name, Path: path, Sum: hex.EncodeToString(h.Sum(nil)), Size: size}, nil
}
