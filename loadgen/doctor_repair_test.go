package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// In a network namespace of its own, where somaxconn and the range of ports belong
// to nobody else, they are set and put back for real.
func TestDoctorFixesAndRestores(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("unshare", "-n", "sh", "-c", "echo 128 >/proc/sys/net/core/somaxconn").CombinedOutput(); err != nil {
		t.Skipf("no network namespace whose values may be set: %v: %s", err, out)
	}
	state := filepath.Join(t.TempDir(), "state.json")
	const script = `set -e
show() { echo "values $(cat /proc/sys/net/core/somaxconn) $(cat /proc/sys/net/ipv4/ip_local_port_range)"; }
echo 128 >/proc/sys/net/core/somaxconn
echo 40000 41001 >/proc/sys/net/ipv4/ip_local_port_range
fix() { "$1" doctor --fix --only accept-backlog --only local-ports --state "$2" "$3" >/dev/null; }
fix "$@" --dry-run 2>&1
show
fix "$@" --json 2>/dev/null
show
grep -c before "$2"
"$1" doctor --restore --state "$2" >/dev/null 2>&1
show
"$1" doctor --restore --state "$2" 2>&1 >/dev/null
`
	out, err := exec.Command("unshare", "-n", "sh", "-c", script, "sh", filepath.Join(bin, "loadgen"), state).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := []string{
		"would set  local-ports      /proc/sys/net/ipv4/ip_local_port_range: 40000 41001 → 10240 65535",
		"would set  accept-backlog   /proc/sys/net/core/somaxconn: 128 → 4096",
		"values 128 40000\t41001", "values 4096 10240\t65535", "2", "values 128 40000\t41001",
		state + ": nothing is recorded there, so there is nothing to put back",
	}
	got := strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDoctorRepairUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--fix --restore":             "want one of them",
		"--dry-run":                   "go with --fix",
		"--fix --dry-run --only smtp": `no check "smtp"; those that can be fixed are open-files, local-ports`,
	} {
		c := loadgen(t, "", append([]string{"doctor"}, strings.Fields(args)...)...)
		c.wantCode(t, c.code(t, c.Run()), exitUsage)
		if !strings.Contains(c.stderr.String(), want) {
			t.Errorf("%s: %s", args, c.stderr.String())
		}
	}
}

// The manifest of a run has every check, not only those that warned.
func TestARunKeepsWhatTheDoctorFound(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "run", "p.yaml", "--quiet")
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	seen := map[string]string{}
	for _, check := range c.ran(t).Doctor {
		seen[check.Name] = check.Level
	}
	if seen["disk"] != "ok" || seen["cpus"] == "" || seen["apt-timers"] == "" {
		t.Errorf("%v", seen)
	}
}
