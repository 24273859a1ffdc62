package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Draft is a run directory being written, under a name that says so. Only
// Seal gives it its final name; whatever ends the program before leaves a
// directory that everyone can see is partial.
type Draft struct {
	parent, name string
	open         []*file // in order of creation
}

// Create makes a draft below parent, which is made too when missing. The name
// is the parts joined by dashes: <UTC>-<profile>-<mode>-<hash>.
func Create(parent string, parts ...string) (*Draft, error) {
	clean := make([]string, 0, len(parts))
	for _, part := range parts {
		if part = cleanPart(part); part != "" {
			clean = append(clean, part)
		}
	}
	if len(clean) == 0 {
		return nil, fmt.Errorf("run directory below %s: no name given", parent)
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, fmt.Errorf("output folder: %w", err)
	}
	d := &Draft{parent: parent}
	err := firstFree(strings.Join(clean, "-"), func(name string) error {
		d.name = name
		return os.Mkdir(d.Path(), 0o755)
	})
	if err != nil {
		return nil, fmt.Errorf("output folder: %w", err)
	}
	return d, nil
}

// Stamp is the UTC part of a run's name: sortable, without characters that a
// shell or a file system minds.
func Stamp(t time.Time) string { return t.UTC().Format("20060102T150405Z") }

// cleanPart keeps letters, digits, dot, underscore and dash; a profile's name
// must not be able to leave the parent or hide the directory.
func cleanPart(part string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, part)
	kept = strings.TrimLeft(kept, ".")
	return kept[:min(len(kept), 80)]
}

// firstFree tries name, name-2, name-3, … until try does not meet an existing
// one: two runs may start within one second.
func firstFree(name string, try func(name string) error) error {
	candidate := name
	for n := 2; ; n++ {
		err := try(candidate)
		// A directory renamed onto a non-empty one fails with ENOTEMPTY or EEXIST; both are fs.ErrExist.
		if err == nil || !errors.Is(err, fs.ErrExist) || n > 1000 {
			return err
		}
		candidate = fmt.Sprintf("%s-%d", name, n)
	}
}

// Path is where the draft is now.
func (d *Draft) Path() string { return filepath.Join(d.parent, partialPrefix+d.name) }

// Name is what the directory will be called when nothing else takes the name.
func (d *Draft) Name() string { return d.name }

// WriteManifest writes or replaces manifest.json.
func (d *Draft) WriteManifest(m *Manifest) error { return d.writeJSON(ManifestFile, m) }

// WriteProfile writes profile.yaml; the caller has resolved it and removed secrets.
func (d *Draft) WriteProfile(yaml []byte) error { return Replace(d.Path(), ProfileFile, yaml) }

func (d *Draft) writeJSON(name string, v any) error {
	data, err := EncodeJSON(v)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(d.Path(), name), err)
	}
	return Replace(d.Path(), name, data)
}

// EncodeJSON is the JSON of run directories: indented, ending in a newline,
// with < > & as they are, because people read it.
func EncodeJSON(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(b.String()), nil
}

// Seal closes every file, makes all of it durable and gives the directory its
// final name, which it returns. After an error the draft keeps its partial name.
func (d *Draft) Seal() (string, error) {
	var faults []error
	for _, f := range d.open {
		faults = append(faults, f.Close())
	}
	if err := errors.Join(faults...); err != nil {
		return "", err
	}
	if _, err := ReadManifest(d.Path()); err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	if err := syncTree(d.Path()); err != nil {
		return "", err
	}
	final := ""
	err := firstFree(d.name, func(name string) error {
		final = filepath.Join(d.parent, name)
		// os.Rename would replace an empty directory of that name.
		if _, err := os.Lstat(final); err == nil {
			return fmt.Errorf("%s: %w", final, fs.ErrExist)
		}
		return os.Rename(d.Path(), final)
	})
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	// Without this the new name itself may be lost in a crash.
	return final, syncPath(d.parent)
}

// Discard closes and removes the draft: for a run that never began.
func (d *Draft) Discard() error {
	for _, f := range d.open {
		_ = f.Close() // what was written is about to be removed
	}
	return os.RemoveAll(d.Path())
}
