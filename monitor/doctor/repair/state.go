package repair

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// StateFile is where the values before a repair are.
type StateFile string

// DefaultState outlives a reboot: some of what it records does too.
const DefaultState StateFile = "/var/lib/edgebench/doctor.json"

// stateVersion is the version of the file's layout.
const stateVersion = 1

// state is what the file holds.
type state struct {
	Version int      `json:"schema_version"`
	Saved   string   `json:"saved_utc"`
	BootID  string   `json:"boot_id"` // of the first repair
	Changes []Change `json:"changes"` // in the order they were made
}

// with adds changes. Of what was changed before the first value stays: that is how
// the host was.
func (s state) with(plan []Change, boot string, now time.Time) state {
	s.Version, s.Saved = stateVersion, now.UTC().Format(time.RFC3339)
	if s.BootID == "" {
		s.BootID = boot
	}
	changes := append([]Change(nil), s.Changes...)
next:
	for _, c := range plan {
		for i := range changes {
			if changes[i].same(c) {
				changes[i].After = c.After
				continue next
			}
		}
		changes = append(changes, c)
	}
	s.Changes = changes
	return s
}

func (f StateFile) load() (state, error) {
	data, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	}
	if err != nil {
		return state{}, err
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return state{}, fmt.Errorf("%s: %w", f, err)
	}
	if s.Version != stateVersion {
		return state{}, fmt.Errorf("%s: of version %d, this program knows %d", f, s.Version, stateVersion)
	}
	return s, nil
}

// save is durable when it returns: file, name and folder.
func (f StateFile) save(s state) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(string(f)), ".doctor-")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name()) // gone already once it has its name
	_, err = draft.Write(append(data, '\n'))
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Rename(draft.Name(), string(f)); err != nil {
		return err
	}
	return f.syncFolder()
}

func (f StateFile) remove() error {
	if err := os.Remove(string(f)); err != nil {
		return err
	}
	return f.syncFolder()
}

func (f StateFile) syncFolder() error {
	d, err := os.Open(filepath.Dir(string(f)))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lock makes the file's folder and keeps other repairs out: two at once would each
// take the other's values for the host's own.
func (f StateFile) lock() (release func(), err error) {
	dir := filepath.Dir(string(f))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		d.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s: another repair is at work", f)
		}
		return nil, os.NewSyscallError("flock "+dir, err)
	}
	return func() { d.Close() }, nil
}
