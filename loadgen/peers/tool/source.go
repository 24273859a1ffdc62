package tool

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Source is where a program comes from: this project, a Go module at a
// version, or a Debian package. Exactly one of Module and Package is set, or
// neither for a program of this project.
type Source struct {
	Program string // file name
	Module  string // path of the main package
	Version string // of the module
	Package string // Debian package
}

// Folders are where programs are found and put.
type Folders struct {
	Ours  string // programs of this project
	Peers string // programs built from modules
}

// Find returns the path of the program, built or installed when it is missing.
// It says so on progress.
func (s Source) Find(ctx context.Context, f Folders, progress io.Writer) (string, error) {
	switch {
	case s.Module != "":
		return s.built(ctx, f.Peers, progress)
	case s.Package != "":
		return s.installed(ctx, progress)
	}
	path, err := filepath.Abs(filepath.Join(f.Ours, s.Program))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is missing: run make build first", path)
	}
	return path, nil
}

// built is the program of a module, kept from one comparison to the next as
// long as its version is the one wanted.
func (s Source) built(ctx context.Context, folder string, progress io.Writer) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, s.Program)
	if info, err := buildinfo.ReadFile(path); err == nil && info.Main.Version == s.Version {
		return path, nil
	}
	fmt.Fprintf(progress, "building %s %s, once\n", s.Program, s.Version)
	cmd := exec.CommandContext(ctx, "nice", "-n", "10", "go", "install", s.Module+"@"+s.Version)
	cmd.Env = append(os.Environ(), "GOBIN="+folder, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install %s@%s: %w: %s", s.Module, s.Version, err, lastLine(out))
	}
	return path, nil
}

// installed is the program of a Debian package.
func (s Source) installed(ctx context.Context, progress io.Writer) (string, error) {
	path, err := exec.LookPath(s.Program)
	if err == nil {
		return path, nil
	}
	aptGet, lookErr := exec.LookPath("apt-get")
	if lookErr != nil || os.Geteuid() != 0 {
		return "", fmt.Errorf("%w: install it first (Debian: apt-get install %s; done here for root)", err, s.Package)
	}
	fmt.Fprintf(progress, "installing Debian's %s\n", s.Package)
	cmd := exec.CommandContext(ctx, aptGet, "install", "-y", "-qq", "--no-install-recommends", s.Package)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("apt-get install %s: %w: %s (apt-get update may help)", s.Package, err, lastLine(out))
	}
	return exec.LookPath(s.Program)
}

// VersionOf tells the version of the program at path.
func (s Source) VersionOf(ctx context.Context, path string) (string, error) {
	if s.Module != "" {
		return s.Version, nil
	}
	flag := "version"
	if s.Package != "" {
		flag = "-v"
	}
	out, err := exec.CommandContext(ctx, path, flag).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) { // wrk ends with 1 after telling
		return "", fmt.Errorf("version of %s: %w", path, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	// "wrk debian/4.1.0 [epoll] Copyright …", "nginx version: nginx/1.22.1"
	line, _, _ = strings.Cut(line, " [")
	for _, before := range []string{s.Program + " version: ", s.Program + " "} {
		line = strings.TrimPrefix(line, before)
	}
	return cmp.Or(strings.TrimSpace(line), "unknown"), nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
