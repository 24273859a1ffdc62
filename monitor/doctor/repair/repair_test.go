package repair

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/monitor"
	"edgebench/monitor/doctor"
)

// rig is a copy of a captured host that may be changed.
type rig struct {
	Host
	units units
	swaps *swapFile
}

// units are those of a systemd that is not there.
type units map[string]string

func (u units) State(name string) (string, error) { return u[name], nil }
func (u units) Set(name, state string) error      { u[name] = state; return nil }

// swapFile does to a copy of /proc/swaps what the kernel would.
type swapFile struct {
	path string
	busy bool // memory is short
}

func (s *swapFile) Off(path string) error {
	if s.busy {
		return errors.New("swapoff: cannot allocate memory")
	}
	text, err := os.ReadFile(s.path)
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(l string) bool { return strings.HasPrefix(l, path+" ") })
	return errors.Join(err, os.WriteFile(s.path, []byte(strings.Join(lines, "")), 0o600))
}

func (s *swapFile) On(path string, priority int) error {
	text, err := os.ReadFile(s.path)
	line := fmt.Sprintf("%s partition 1000 0 %d\n", path, priority)
	return errors.Join(err, os.WriteFile(s.path, append(text, line...), 0o600))
}

func newRig(t *testing.T) *rig {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../testdata/loud")); err != nil {
		t.Fatal(err)
	}
	r := &rig{units: units{"chrony.service": "inactive", "apt-daily.timer": "active"}, swaps: &swapFile{path: filepath.Join(root, "proc/swaps")}}
	r.Host = Host{Root: root, Units: r.units, Swaps: r.swaps}
	r.write(t, "proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 1000 0 5\n/dev/sdb2 partition 1000 0 -2\n")
	r.write(t, "sys/devices/system/cpu/smt/control", "on\n")
	if err := os.MkdirAll(filepath.Join(root, "etc/security/limits.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// results are what the doctor says of it.
func (r *rig) results(t *testing.T) []doctor.Result {
	t.Helper()
	proc, err := monitor.NewFS(r.path("proc"))
	if err != nil {
		t.Fatal(err)
	}
	h := proc.Host(context.Background())
	// These come from system calls, not from the files.
	h.TimeSync, h.NofileHard, h.NofileSoft = "not synchronised", monitor.Null[int64]{V: 64, Valid: true}, monitor.Null[int64]{V: 64, Valid: true}
	if text, err := os.ReadFile(r.path("sys/devices/system/cpu/smt/control")); err == nil {
		h.SMT = strings.TrimSpace(string(text))
	}
	return doctor.Examine(&doctor.Facts{Host: h, Need: doctor.Need{Connections: 2000, Connects: 500, Bundled: true}})
}

// content is every value of the host, but for what looks different when it means
// the same.
func (r *rig) content(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(r.Root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(r.Root, path)
		if err != nil {
			return err
		}
		v, err := r.readFile(name)
		all[name] = deref(v)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, state := range r.units {
		all[name] = state
	}
	return all
}

func quiet(Change, error) {}

func TestFixAndRestore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	before := r.content(t)
	plan, beyond, err := Plan(r.Host, r.results(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, r.content(t)); diff != "" {
		t.Errorf("planning changed something: %s", diff)
	}
	file := StateFile(filepath.Join(t.TempDir(), "made", "state.json"))
	if err := Fix(r.Host, file, plan, time.Unix(0, 0), quiet); err != nil {
		t.Fatal(err)
	}
	// Every check with a repair is content now, or its repair needs what no file tells.
	repairable := map[string]bool{}
	for _, c := range doctor.Checks() {
		repairable[c.Name] = len(c.Repair) > 0
	}
	later := []string{"open-files", "time-sync", "swap", "apt-timers"}
	for _, res := range doctor.AtLeast(r.results(t), doctor.Note) {
		if repairable[res.Name] && !slices.Contains(later, res.Name) {
			t.Errorf("still: %v", res)
		}
	}
	for name, want := range map[string]string{
		"proc/sys/net/core/somaxconn": "4096", "proc/sys/net/ipv4/ip_local_port_range": "10240 65535",
		"sys/kernel/mm/transparent_hugepage/enabled": "madvise", "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance",
		"proc/swaps": "Filename Type Size Used Priority", "chrony.service": "active", "apt-daily.timer": "masked",
		"etc/security/limits.d/90-edgebench.conf": "* - nofile 1048576 root - nofile 1048576",
	} {
		if got := r.content(t)[name]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !slices.Contains(beyond, "clocksource") || slices.Contains(beyond, "ksm") {
		t.Errorf("beyond repair: %v", beyond)
	}
	if again, _, err := Plan(r.Host, r.results(t), nil); err != nil || len(again) > 0 {
		t.Errorf("a second plan: %v, %v", again, err)
	}
	if err := Restore(r.Host, file, quiet); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, r.content(t)); diff != "" {
		t.Errorf("not as before: %s", diff)
	}
	if err := Restore(r.Host, file, quiet); !errors.Is(err, ErrNothing) {
		t.Errorf("twice: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(string(file)))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// The values before are on disk when the first change is made, and a second repair
// keeps them.
func TestWhatWasThereIsRecordedFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	before := r.content(t)
	file := StateFile(filepath.Join(t.TempDir(), "state.json"))
	plan, _, err := Plan(r.Host, r.results(t), func(check string) bool { return check != "smt" })
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(plan, func(c Change) bool { return c.Check == "smt" }) {
		t.Error("smt was to be left alone")
	}
	first := true
	err = Fix(r.Host, file, plan, time.Unix(0, 0), func(Change, error) {
		if !first {
			return
		}
		first = false
		var s state
		data, err := os.ReadFile(string(file))
		if err == nil {
			err = json.Unmarshal(data, &s)
		}
		if err != nil || len(s.Changes) != len(plan) || s.Saved != "1970-01-01T00:00:00Z" {
			t.Errorf("%v: %+v", err, s)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	// Somebody changes a value back half way, and repairs again, all of it now.
	r.write(t, "proc/sys/net/core/somaxconn", "200\n")
	plan, _, err = Plan(r.Host, r.results(t), nil)
	if err != nil || len(plan) != 2 {
		t.Fatalf("%v, %v: want somaxconn and smt", plan, err)
	}
	if err := Fix(r.Host, file, plan, time.Unix(0, 0), quiet); err != nil {
		t.Fatal(err)
	}
	if err := Restore(r.Host, file, quiet); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, r.content(t)); diff != "" {
		t.Errorf("not as it was at first: %s", diff)
	}
}

// What cannot be put back stays recorded, and what can is.
func TestWhatFails(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	before := r.content(t)
	r.swaps.busy = true
	file := StateFile(filepath.Join(t.TempDir(), "state.json"))
	plan, _, err := Plan(r.Host, r.results(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	err = Fix(r.Host, file, plan, time.Now(), func(_ Change, err error) {
		if err != nil {
			failed++
		}
	})
	if failed != 2 || err == nil || !strings.Contains(err.Error(), "swap /dev/sdb2: swapoff") {
		t.Errorf("%d failed: %v", failed, err)
	}
	// A file vanishes meanwhile, as that of a CPU taken offline.
	gone := "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"
	if err := os.Remove(r.path(gone)); err != nil {
		t.Fatal(err)
	}
	if err := Restore(r.Host, file, quiet); err == nil || !strings.Contains(err.Error(), gone) {
		t.Errorf("%v", err)
	}
	r.write(t, gone, "performance\n")
	if err := Restore(r.Host, file, func(c Change, _ error) {
		if c.Name != gone {
			t.Errorf("%v was put back already", c)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, r.content(t)); diff != "" {
		t.Error(diff)
	}
}

func TestStateFileOfOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	file := StateFile(filepath.Join(t.TempDir(), "state.json"))
	for text, want := range map[string]string{"{": "state.json", `{"schema_version": 7}`: "of version 7"} {
		if err := os.WriteFile(string(file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Fix(r.Host, file, nil, time.Now(), quiet); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	release, err := file.lock()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := Restore(r.Host, file, quiet); err == nil || !strings.Contains(err.Error(), "another repair") {
		t.Errorf("two at once: %v", err)
	}
}

// Every setting of the registry is of a kind that can be read and written here.
func TestEverySettingIsKnown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, c := range doctor.Checks() {
		for _, s := range c.Repair {
			if _, err := r.values(s); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
			if s.Kind != doctor.Unit && strings.HasPrefix(s.Name, "/") || s.Value == "" {
				t.Errorf("%s: %+v", c.Name, s)
			}
		}
	}
}
