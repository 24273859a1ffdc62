package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/profiles/arrival"
)

// Producers of run directories.
const (
	ProducerLoadgen = "loadgen"
	ProducerTwin    = "twin"
)

// A Manifest says what was run, by what, where and under which limits. It is
// written twice: when a run starts, so that a killed run still tells what it
// was, and at its end.
type Manifest struct {
	SchemaVersion int               `json:"schema_version"`
	Producer      string            `json:"producer"` // loadgen | twin
	Versions      map[string]string `json:"versions"` // program → version
	Argv          []string          `json:"argv"`     // as typed, secrets redacted

	Profile      string `json:"profile"`
	Mode         string `json:"mode"`             // the policy, or ModeURL
	Target       string `json:"target"`           // URL, secrets redacted
	Worker       string `json:"worker,omitempty"` // runtime of the bundled node's workers
	Work         string `json:"work,omitempty"`   // what they do with the service time
	Seed         uint64 `json:"seed"`
	ScheduleHash string `json:"schedule_hash"`
	ProfileHash  string `json:"profile_hash"`

	StartedUnixNS int64  `json:"started_unix_ns"` // instant 0 of every t_ns and scheduled_ns
	StartedUTC    string `json:"started_utc"`     // the same for people
	Clock         string `json:"clock"`           // what the instants were read from

	Planned         uint64      `json:"planned"`             // requests of the whole schedule
	DurationNS      int64       `json:"duration_ns"`         // length of the schedule
	ElapsedNS       int64       `json:"elapsed_ns"`          // instant 0 to the end of the drain
	ColdAuto        bool        `json:"cold_auto,omitempty"` // analysis splits the service times
	ColdThresholdNS int64       `json:"cold_threshold_ns"`   // response time above which a request counts as cold; 0 = none
	Phases          []PhaseFact `json:"phases"`
	// Share is set where one of several generators played its part: Planned and
	// Phases are the share's, ScheduleHash is the whole schedule's.
	Share *arrival.Share `json:"share,omitempty"`
	// Role is RoleTarget for the directory of who kept the node for generators
	// elsewhere, else empty.
	Role  string `json:"role,omitempty"`
	Start *Start `json:"start,omitempty"` // agreed on with others
	Parts []Part `json:"parts,omitempty"` // of a union of shares

	Functions  []string `json:"functions,omitempty"` // names, where a run has several; Sample.Function points at them
	Thresholds []string `json:"thresholds"`          // expressions that summary.json has to meet

	// Interruption says why the schedule was not played to its end, empty when it was.
	Interruption string `json:"interruption"`
	// StoppedNS is the instant sending ended before the schedule did, 0 when it did not.
	StoppedNS int64 `json:"stopped_ns"`
	// TargetLost says how the target went away during the run, empty when it did not.
	TargetLost string `json:"target_lost"`
	// RowsSkipped counts samples that were given no row on purpose, because the
	// rate was above the one up to which all have theirs; like those lost below,
	// they are in counters and histograms.
	RowsSkipped uint64 `json:"rows_skipped"`
	// RowsLost counts samples whose row could not be written in time; the
	// counters and histograms know them nevertheless.
	RowsLost uint64 `json:"rows_lost"`
	// EventsLost counts events that left the node's ring before they were read.
	EventsLost uint64 `json:"events_lost"`

	// Limits are connections, in flight, open files, …; analysis reads LimitQuantum.
	Limits    map[string]any  `json:"limits"`
	Host      map[string]any  `json:"host"`           // facts about the machine
	Doctor    []Check         `json:"doctor"`         // what was looked at before the run, all of it
	Node      json.RawMessage `json:"node,omitempty"` // the node's own /stats at the end, as it gave them
	Generator *Generator      `json:"generator,omitempty"`
	Warnings  []string        `json:"warnings"`
}

// A Check is what the doctor found of one thing: level is ok, note, warn or fail.
type Check struct {
	Name  string `json:"name"`
	Level string `json:"level"`
	Found string `json:"found"`
}

// LimitQuantum is the key in Manifest.Limits of the length in ns to which sending
// was rounded up on purpose: lag up to it is precision given away, not lateness.
const LimitQuantum = "quantum_ns"

// Quantum is the length to which sending was rounded up, 0 for none.
func (m *Manifest) Quantum() time.Duration {
	switch v := m.Limits[LimitQuantum].(type) {
	case int64:
		return time.Duration(v)
	case float64: // as JSON gives it back
		return time.Duration(v)
	}
	return 0
}

// A PhaseFact is a phase as it was planned. Its place in Manifest.Phases is
// what Sample.Phase points at.
type PhaseFact struct {
	Name     string  `json:"name"`
	Cycle    int     `json:"cycle"`   // from 1
	Kind     string  `json:"kind"`    // constant | ramp | idle
	Measure  string  `json:"measure"` // cold, or empty
	StartNS  int64   `json:"start_ns"`
	LengthNS int64   `json:"length_ns"`
	Planned  uint64  `json:"planned"`
	FromRPS  float64 `json:"from_rps"` // planned rate at its start and end
	ToRPS    float64 `json:"to_rps"`
}

// NewManifest fills what follows from the instant a run started.
func NewManifest(producer string, started time.Time) *Manifest {
	return &Manifest{
		SchemaVersion: SchemaVersion,
		Producer:      producer,
		StartedUnixNS: started.UnixNano(),
		StartedUTC:    started.UTC().Format(time.RFC3339Nano),
		Warnings:      []string{},
	}
}

// An Identity tells runs apart wherever their directories are: a copy of a run is
// that run, and counts once.
type Identity struct {
	producer, mode, profile, schedule string
	role                              string
	share                             arrival.Share
	seed                              uint64
	started, elapsed                  int64
}

// Identity returns the identity of the run.
func (m *Manifest) Identity() Identity {
	id := Identity{
		producer: m.Producer, mode: m.Mode, profile: m.ProfileHash, schedule: m.ScheduleHash, role: m.Role,
		seed: m.Seed, started: m.StartedUnixNS, elapsed: m.ElapsedNS,
	}
	if m.Share != nil {
		id.share = *m.Share
	}
	return id
}

// ErrNotARun is wrapped by errors about a directory without a manifest.
var ErrNotARun = errors.New("not a run directory")

// ReadManifest reads the manifest of a run directory and refuses a schema it
// does not know.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	switch _, missing := os.Stat(dir); {
	case err == nil:
		return parseManifest(path, data)
	case errors.Is(missing, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: it does not exist", dir, ErrNotARun)
	case errors.Is(err, unix.ENOTDIR):
		return nil, fmt.Errorf("%s: %w, but a file", dir, ErrNotARun)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: it has no %s", dir, ErrNotARun, ManifestFile)
	}
	return nil, Unreadable(err)
}

func parseManifest(path string, data []byte) (*Manifest, error) {
	// The version comes first: a later schema may not even decode into this one.
	var version struct {
		SchemaVersion *int `json:"schema_version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, jsonFault(path, data, err)
	}
	if version.SchemaVersion == nil {
		return nil, Unreadable(fmt.Errorf("%s: no schema_version", path))
	}
	if v := *version.SchemaVersion; v != SchemaVersion {
		return nil, Unreadable(fmt.Errorf("%s: schema_version %d is not known to this program, which reads %d", path, v, SchemaVersion))
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, jsonFault(path, data, err)
	}
	return m, nil
}
