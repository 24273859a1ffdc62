package repair

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"edgebench/monitor/doctor"
)

// A Host is what is changed.
type Host struct {
	Root  string // folder that holds proc, sys and etc [/]
	Swaps Swaps  // nil: the kernel
	Units Units  // nil: systemctl, where there is one
}

// Swaps turns swap areas off and on.
type Swaps interface {
	Off(path string) error
	On(path string, priority int) error // below 0: the kernel chooses
}

// Units asks and tells systemd.
type Units interface {
	// State is active, inactive, failed, masked, …; "" for a unit that is not there.
	State(name string) (string, error)
	Set(name, state string) error // active, inactive or masked
}

// A value is one thing that a setting stands for on this host.
type value struct {
	name, want string
	read       func() (*string, error) // nil: not there
}

// values are those of a setting that this host has.
func (h Host) values(s doctor.Setting) ([]value, error) {
	switch s.Kind {
	case doctor.File:
		return h.files(s)
	case doctor.NewFile:
		if _, err := os.Stat(h.path(filepath.Dir(s.Name))); err != nil {
			return nil, nil // nobody would read it
		}
		return []value{{s.Name, s.Value, func() (*string, error) { return h.readText(s.Name) }}}, nil
	case doctor.Swap:
		areas, err := h.swaps()
		var values []value
		// The last one goes first: put back in turn, those whose priority the kernel
		// chooses rank as they did.
		for _, a := range slices.Backward(areas) {
			on := a.on()
			values = append(values, value{a.path, s.Value, func() (*string, error) { return &on, nil }})
		}
		return values, err
	case doctor.Unit:
		state, err := h.units().State(s.Name)
		if err != nil || state == "" {
			return nil, err
		}
		return []value{{s.Name, s.Value, func() (*string, error) { return &state, nil }}}, nil
	}
	return nil, fmt.Errorf("setting %q of kind %q: nobody knows how to read it", s.Name, s.Kind)
}

func (h Host) files(s doctor.Setting) ([]value, error) {
	found, err := filepath.Glob(h.path(s.Name))
	if err != nil {
		return nil, fmt.Errorf("setting %q: %w", s.Name, err)
	}
	var values []value
	for _, path := range found {
		name, err := filepath.Rel(h.root(), path)
		if err != nil {
			return nil, err
		}
		values = append(values, value{name, s.Value, func() (*string, error) { return h.readFile(name) }})
	}
	return values, nil
}

func (h Host) root() string {
	if h.Root == "" {
		return "/"
	}
	return h.Root
}

func (h Host) path(name string) string { return filepath.Join(h.root(), name) }

func (h Host) units() Units {
	if h.Units == nil {
		return systemctl{}
	}
	return h.Units
}

// bootID tells whether the host was started anew since.
func (h Host) bootID() string {
	id, _ := os.ReadFile(h.path("proc/sys/kernel/random/boot_id"))
	return strings.TrimSpace(string(id))
}

// readFile is a kernel file's value: its fields, or of a choice like "always
// [madvise] never" the one in brackets. What comes out may be written back.
func (h Host) readFile(name string) (*string, error) {
	text, err := h.readText(name)
	if err != nil || text == nil {
		return nil, err
	}
	fields := strings.Fields(*text)
	for _, f := range fields {
		if strings.HasPrefix(f, "[") && strings.HasSuffix(f, "]") {
			f = strings.Trim(f, "[]")
			return &f, nil
		}
	}
	joined := strings.Join(fields, " ")
	return &joined, nil
}

func (h Host) readText(name string) (*string, error) {
	data, err := os.ReadFile(h.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text := string(data)
	return &text, nil
}

// set gives what a change is about a value, nil for none, and looks whether it took it.
func (h Host) set(c Change, to *string) error {
	var err error
	switch c.Kind {
	case doctor.File:
		err = h.setFile(c.Name, to)
	case doctor.NewFile:
		err = h.setNewFile(c.Name, to)
	case doctor.Swap:
		err = h.setSwap(c.Name, to)
	case doctor.Unit:
		err = h.setUnit(c.Name, to)
	default:
		err = fmt.Errorf("kind %q: nobody knows how to set it", c.Kind)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.where(), err)
	}
	return nil
}

func (h Host) setFile(name string, to *string) error {
	if to == nil {
		return errors.New("no value to write")
	}
	now, err := h.readFile(name)
	if err != nil {
		return err
	}
	if now != nil && *now == *to {
		return nil
	}
	f, err := os.OpenFile(h.path(name), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(*to + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if now, err = h.readFile(name); err != nil {
		return err
	}
	if now == nil || *now != *to {
		return fmt.Errorf("wrote %q, but it reads %q", *to, deref(now))
	}
	return nil
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (h Host) setNewFile(name string, to *string) error {
	if to != nil {
		return os.WriteFile(h.path(name), []byte(*to), 0o644)
	}
	err := os.Remove(h.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (h Host) setUnit(name string, to *string) error {
	if to == nil {
		return errors.New("no state to go to")
	}
	now, err := h.units().State(name)
	if err != nil || now == *to {
		return err
	}
	want := *to
	if !slices.Contains([]string{"active", "inactive", "masked"}, want) {
		want = "inactive" // it had failed, or was on its way
	}
	return h.units().Set(name, want)
}
