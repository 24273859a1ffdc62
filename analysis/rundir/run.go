package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Run is a run directory opened for reading.
type Run struct {
	Dir      string
	Manifest *Manifest
	// Sealed is false for a directory whose writer ended before Seal: its files
	// may stop anywhere, and nothing says that they are all.
	Sealed bool
}

// Open reads the manifest of dir. A directory without one is ErrNotARun.
func Open(dir string) (*Run, error) {
	dir = filepath.Clean(dir)
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir) // "." inside a partial directory is partial too
	if err != nil {
		return nil, err
	}
	return &Run{Dir: dir, Manifest: m, Sealed: !strings.HasPrefix(filepath.Base(abs), partialPrefix)}, nil
}

// Has reports whether the run has a file of that name.
func (r *Run) Has(name string) bool {
	_, err := os.Stat(filepath.Join(r.Dir, name))
	return err == nil
}

// List returns the run directories below parent, sealed ones and partial ones,
// each in the order of their names and so of their time.
func List(parent string) (sealed, partial []string, err error) {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		switch {
		case !e.IsDir():
		case strings.HasPrefix(e.Name(), partialPrefix):
			partial = append(partial, path)
		default:
			if _, err := os.Stat(filepath.Join(path, ManifestFile)); err == nil {
				sealed = append(sealed, path)
			}
		}
	}
	return sealed, partial, nil
}

// Gaps says what is missing of a run, and how files that nothing else reads by
// the line are damaged, a sentence each.
func (r *Run) Gaps() []string {
	var out []string
	streams := []string{TimeseriesFile, MonitorFile, EventsFile}
	missing := slices.DeleteFunc(slices.Clone(streams), r.Has)
	if len(missing) < len(streams) && len(r.Manifest.Parts) == 0 { // a merged run has none of them, or some in parts/
		for _, name := range missing {
			out = append(out, name+" is missing")
		}
	}
	for _, name := range []string{ProfileFile, PercentileFile} {
		data, err := os.ReadFile(filepath.Join(r.Dir, name))
		switch why := torn(data); {
		case errors.Is(err, fs.ErrNotExist):
			out = append(out, name+" is missing")
		case err != nil:
			out = append(out, name+": "+err.Error())
		case why != "":
			out = append(out, name+": "+why)
		}
	}
	return out
}

// torn says how a text that ends in a newline when it is whole is not.
func torn(text []byte) string {
	switch {
	case len(text) == 0:
		return "empty file"
	case text[len(text)-1] != '\n':
		return fmt.Sprintf("line %d is torn: %.60q", 1+bytes.Count(text, []byte{'\n'}), text[bytes.LastIndexByte(text, '\n')+1:])
	}
	return ""
}

// Profile is the resolved profile's YAML as it stands in the directory.
func (r *Run) Profile() ([]byte, error) { return os.ReadFile(filepath.Join(r.Dir, ProfileFile)) }
