package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folders of a batch: results/<trial>/run is the run directory of a trial, and
// only committed trials are in results.
const (
	resultsFolder = "results"
	runFolder     = "run"
)

// findDepth is how far below an argument runs are looked for: sim makes a folder
// for many trials, and people folders for many of those.
const findDepth = 2

// Find turns what was named into run directories, partial ones too: one, or,
// with folder true, all of a folder or all of a batch's results. What holds none
// is ErrNotARun, save for a page that an earlier report left among runs: a shell's
// runs/* takes it along, and it names none.
func Find(arg string) (dirs []string, folder bool, err error) {
	arg = filepath.Clean(arg)
	if dir := runAt(arg); dir != "" {
		return []string{dir}, false, nil
	}
	switch info, err := os.Stat(arg); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, fmt.Errorf("%s: %w: it does not exist", arg, ErrNotARun)
	case err != nil:
		return nil, false, Unreadable(err)
	case !info.IsDir() && Derived(filepath.Base(arg)):
		return nil, false, nil
	case !info.IsDir():
		return nil, false, fmt.Errorf("%s: %w, but a file", arg, ErrNotARun)
	}
	for _, parent := range []string{filepath.Join(arg, resultsFolder), arg} {
		dirs, err := runsBelow(parent, findDepth)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, false, Unreadable(err)
		}
		if len(dirs) > 0 {
			return dirs, true, nil
		}
	}
	return nil, false, fmt.Errorf("%s: %w, and no folder of run directories", arg, ErrNotARun)
}

// FindAll is Find for several names, all faults at once.
func FindAll(args []string) (dirs []string, err error) {
	var faults []error
	for _, arg := range args {
		found, _, err := Find(arg)
		dirs, faults = append(dirs, found...), append(faults, err)
	}
	return dirs, errors.Join(faults...)
}

// runAt is the run directory that dir is or, for a trial of a batch, has; empty
// for none.
func runAt(dir string) string {
	for _, candidate := range []string{filepath.Join(dir, runFolder), dir} {
		if _, err := os.Stat(filepath.Join(candidate, ManifestFile)); err == nil {
			return candidate
		}
	}
	return ""
}

// runsBelow lists run directories, partial ones too, in the order of their names.
func runsBelow(folder string, levels int) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if !e.IsDir() {
			continue
		}
		if dir := runAt(path); dir != "" {
			out = append(out, dir)
		} else if levels > 1 {
			below, err := runsBelow(path, levels-1)
			if err != nil {
				return nil, err
			}
			out = append(out, below...)
		}
	}
	return out, nil
}
