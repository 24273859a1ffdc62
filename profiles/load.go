package profiles

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed *.yaml traces
var embedded embed.FS

// Load is LoadWith without sets.
func Load(name string) (*Profile, error) { return LoadWith(name, nil) }

// LoadWith reads a profile and applies sets to it. A file of that name wins, else
// name.yaml in the same place, else the embedded profile called name, with or
// without .yaml; folders do not count. An error that is not Faults is about the
// file; it is fs.ErrNotExist, and names the embedded profiles, when there is none.
func LoadWith(name string, sets []Set) (*Profile, error) {
	candidates := []string{name}
	if filepath.Ext(name) == "" {
		candidates = append(candidates, name+".yaml")
	}
	for _, file := range candidates {
		data, err := readFile(file)
		if err == nil {
			return parseAndRead(file, data, sets)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("profile: %w", err)
		}
	}
	if data, ok := EmbeddedYAML(name); ok {
		return parseAndRead(strings.TrimSuffix(name, ".yaml")+".yaml", data, sets)
	}
	return nil, missing(name)
}

// parseAndRead is Parse, and the files that recorded arrivals come from, save for
// a run that is replayed.
func parseAndRead(file string, data []byte, sets []Set) (*Profile, error) {
	p, err := Parse(file, data, sets)
	if err == nil {
		err = p.readArrivals(file)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// readFile reads at most one byte more than a profile may have: that byte tells
// Parse. A folder does not exist as far as profiles go.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

// missing names what there is.
func missing(name string) error {
	var known []string
	for _, info := range Embedded() {
		known = append(known, info.Name)
	}
	hint := ""
	if best := Nearest(profileName(name), known); best != "" {
		hint = ", did you mean " + best + "?"
	}
	return fmt.Errorf("profile %q: %w (embedded profiles: %s)%s",
		name, fs.ErrNotExist, strings.Join(known, ", "), hint)
}

// Info tells about an embedded profile.
type Info struct {
	Name        string // as Load takes it
	Description string // one line
	Endpoint    bool   // for somebody else's endpoint: --url has to name it
}

// Embedded lists the embedded profiles by name.
func Embedded() []Info {
	files, _ := fs.Glob(embedded, "*.yaml") // the pattern is valid
	infos := make([]Info, 0, len(files))
	for _, file := range files {
		info := Info{Name: strings.TrimSuffix(file, ".yaml")}
		// Tests load every one; a profile that does not parse still has its name.
		if data, ok := EmbeddedYAML(info.Name); ok {
			if p, err := Parse(file, data, nil); err == nil {
				info.Description, info.Endpoint = p.Description, p.Target.Placeholder()
			}
		}
		infos = append(infos, info)
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

// EmbeddedYAML is the text of an embedded profile, comments and all, as a start
// for one's own.
func EmbeddedYAML(name string) ([]byte, bool) {
	data, err := embedded.ReadFile(strings.TrimSuffix(name, ".yaml") + ".yaml")
	return data, err == nil
}
