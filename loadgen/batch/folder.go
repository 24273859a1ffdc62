package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"edgebench/profiles"
)

// A Folder is where a batch lives: its plan, the profiles as they were resolved,
// the store, and the committed results.
type Folder struct{ dir string }

// Files of a batch folder.
const (
	batchFile    = "batch.yaml"
	planFile     = "plan.json"
	profilesDir  = "profiles"
	storeDir     = "store"
	attemptsDir  = "attempts"
	lockFile     = "coordinator.lock"
	privateFiles = 0o600 // profiles may hold credentials
)

// ErrOtherPlan is about a folder that holds other trials than asked for.
var ErrOtherPlan = errors.New("another plan")

// NewFolder is the batch folder dir, which need not exist yet.
func NewFolder(dir string) Folder { return Folder{dir} }

// Path is where the folder is, as it was named.
func (f Folder) Path() string { return f.dir }

// Store and Attempts are folders of their own; Results is that of the results.
func (f Folder) Store() string    { return filepath.Join(f.dir, storeDir) }
func (f Folder) Attempts() string { return filepath.Join(f.dir, attemptsDir) }
func (f Folder) Results() Results { return Results(f) }

// Room refuses a folder on a disk that is nearly full; 0 means the default.
func (f Folder) Room(want int64) error {
	if want == 0 {
		want = DefaultMinFree
	}
	return checkFree(f.dir, want)
}

// Lock makes this process the folder's only coordinator until release. A killed
// process releases it by ending.
func (f Folder) Lock() (release func(), err error) {
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return nil, err
	}
	file, err := lockFileOf(f.dir)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = fmt.Errorf("%s: another coordinator is at work there: %w", f.dir, err)
	}
	if err != nil {
		return nil, err
	}
	return func() { file.Close() }, nil
}

// lockFileOf locks a folder for as long as the file is open.
func lockFileOf(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		return nil, os.NewSyscallError("flock "+file.Name(), err)
	}
	// Whoever had it before may have removed the file just now: then it locks nothing.
	mine, err := file.Stat()
	if err == nil {
		var there os.FileInfo
		if there, err = os.Stat(file.Name()); err == nil && os.SameFile(mine, there) {
			return file, nil
		}
	}
	file.Close()
	return nil, unix.EWOULDBLOCK
}

// Save writes the plan. A folder that has one must have the same: a profile that
// was edited in between would mix two experiments.
func (f Folder) Save(p *Plan, source []byte) error {
	known, err := f.Load()
	if err == nil {
		return f.same(known, p)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Join(f.dir, profilesDir), 0o777); err != nil {
		return err
	}
	for hash, profile := range p.Profiles {
		if err := os.WriteFile(filepath.Join(f.dir, profilesDir, hash+".yaml"), profile.YAML(), privateFiles); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(f.dir, batchFile), source, privateFiles); err != nil {
		return err
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	// The plan comes last: a folder with a plan is complete.
	if _, err := writeSynced(filepath.Join(f.dir, planFile), strings.NewReader(string(data)+"\n")); err != nil {
		return err
	}
	return syncDir(f.dir)
}

func (f Folder) same(known, asked *Plan) error {
	if slices.EqualFunc(known.Trials, asked.Trials, func(a, b Trial) bool { return a.ID == b.ID }) {
		return nil
	}
	why := "the batch file or a profile changed since"
	if known.Version != asked.Version {
		why = fmt.Sprintf("it was begun with version %s of loadgen, this is %s", known.Version, asked.Version)
	}
	return fmt.Errorf("%s holds %w: %s\n  to go on as it was begun:  loadgen batch resume %s (workers elsewhere: loadgen coordinator %s)\n  to begin anew:             choose another --out", f.dir, ErrOtherPlan, why, f.dir, f.dir)
}

// Load reads the plan and the profiles stored with it. A stored profile whose
// content no longer has its name's hash was edited, and is refused.
func (f Folder) Load() (*Plan, error) {
	data, err := os.ReadFile(filepath.Join(f.dir, planFile))
	if err != nil {
		return nil, fmt.Errorf("%s: no batch there: %w", f.dir, err)
	}
	p := &Plan{Profiles: map[string]*profiles.Profile{}}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(f.dir, planFile), err)
	}
	if p.Batch, err = profiles.LoadBatch(filepath.Join(f.dir, batchFile)); err != nil {
		return nil, err
	}
	var faults []error
	for _, t := range p.Trials {
		if p.Profiles[t.Profile] != nil {
			continue
		}
		path := filepath.Join(f.dir, profilesDir, t.Profile+".yaml")
		profile, err := profiles.Load(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if hash := seedless(profile); hash != t.Profile {
			faults = append(faults, fmt.Errorf("%s was edited: its content has hash %.12s; restore it, or begin anew with another --out", path, hash))
		}
		p.Profiles[t.Profile] = profile
	}
	return p, errors.Join(faults...)
}

// seedless is the hash of a profile whatever its seed: trials bring their own.
func seedless(p *profiles.Profile) string {
	q := *p
	q.Seed = 0
	return q.Hash()
}
