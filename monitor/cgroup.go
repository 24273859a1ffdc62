package monitor

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// cgroups are the folders of a process's CPU group and of the groups above it,
// the own first. Limits of any of them hold for the process.
type cgroups struct {
	version int // 1 or 2, 0 for none found
	dirs    []string
}

// cgroups finds the groups of process pid, or ours for 0. With both versions
// mounted the cpu controller belongs to one of them: to v1 where that lists it.
func (f FS) cgroups(pid int) (cgroups, error) {
	name := f.inProc("self/cgroup")
	if pid != 0 {
		name = f.of(pid, "cgroup")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		if absent(err) {
			return cgroups{}, nil
		}
		return cgroups{}, err
	}
	v1, v2, err := parseCgroup(name, text)
	if err != nil {
		return cgroups{}, err
	}
	for _, mount := range []string{"cpu", "cpu,cpuacct", "cpuacct,cpu"} {
		if dirs := f.groupDirs("fs/cgroup/"+mount, v1); v1 != "" && dirs != nil {
			return cgroups{1, dirs}, nil
		}
	}
	for _, mount := range []string{"fs/cgroup", "fs/cgroup/unified"} {
		if _, there := fact(f.inSys(mount + "/cgroup.controllers")); !there || v2 == "" {
			continue
		}
		return cgroups{2, f.groupDirs(mount, v2)}, nil
	}
	return cgroups{}, nil
}

// groupDirs are the folders from group up to the mount. In a container the
// group's path may be the host's and name nothing here; then the mount itself
// is the group.
func (f FS) groupDirs(mount, group string) []string {
	var dirs []string
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		dir := f.inSys(strings.TrimSuffix(mount+group, "/"))
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			dirs = append(dirs, dir)
		}
		if group == "/" {
			return dirs
		}
	}
}

// parseCgroup reads lines of "number:controllers:path": the path of the cpu
// controller's v1 group and that of v2, whose controllers are empty.
func parseCgroup(name string, text []byte) (v1, v2 string, err error) {
	for line := range bytes.Lines(text) {
		parts := strings.SplitN(strings.TrimSuffix(string(line), "\n"), ":", 3)
		if len(parts) != 3 || !strings.HasPrefix(parts[2], "/") {
			return "", "", malformed(name, line, "number:controllers:/path")
		}
		switch {
		case parts[1] == "":
			v2 = parts[2]
		case slices.Contains(strings.Split(parts[1], ","), "cpu"):
			v1 = parts[2]
		}
	}
	return v1, v2, nil
}

// limit is the tightest CPU limit of the groups, in cores.
func (g cgroups) limit() (cores Null[float64], err error) {
	for _, dir := range g.dirs {
		var quota, period string
		if g.version == 2 {
			text, _ := fact(dir + "/cpu.max")
			quota, period, _ = strings.Cut(text, " ")
		} else {
			quota, _ = fact(dir + "/cpu.cfs_quota_us")
			period, _ = fact(dir + "/cpu.cfs_period_us")
		}
		if quota == "" || quota == "max" || quota == "-1" {
			continue
		}
		q, errQ := strconv.ParseUint(quota, 10, 63)
		p, errP := strconv.ParseUint(period, 10, 63)
		if errQ != nil || errP != nil || p == 0 {
			return Null[float64]{}, malformed(dir+"/cpu.max", []byte(quota+" "+period), "quota and period in µs")
		}
		if n := float64(q) / float64(p); !cores.Valid || n < cores.V {
			cores = Null[float64]{V: n, Valid: true}
		}
	}
	return cores, nil
}
