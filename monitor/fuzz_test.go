package monitor

import (
	"os"
	"testing"
)

// FuzzParsers gives any text to every parser: none may panic, none may return
// a negative number, and what one accepts it must accept again.
func FuzzParsers(f *testing.F) {
	f.Add([]byte(statLine))
	f.Add([]byte("1 (a) b) S 1"))
	f.Add([]byte("Rss: 1 kB\nPss: 1 kB\nPrivate_Clean: 1 kB\nPrivate_Dirty: 1 kB\nPrivate_Hugetlb: 1099511627775 kB\n"))
	f.Add([]byte("nr_throttled 2\nthrottled_usec 9223372036854775\n"))
	f.Add([]byte("TcpExt: ListenDrops\nTcpExt: 9223372036854775807\n"))
	f.Add([]byte("4:cpu,cpuacct:/a\n0::/b\n"))
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8\n"))
	f.Add([]byte("0-3,6"))
	for _, path := range []string{"testdata/tree/proc/7086/smaps_rollup", "testdata/quiet/proc/net/netstat", "testdata/quiet/proc/stat"} {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := parseStat("x", text); err == nil && (s.pid < 0 || s.ppid < 0 || s.own < 0 || s.reaped < 0 || s.start < 0 || s.threads < 0) {
			t.Errorf("stat %+v", s)
		}
		if pages, err := parseStatm("x", text); err == nil && pages < 0 {
			t.Errorf("statm %d", pages)
		}
		if r, err := parseRollup("x", text); err == nil && (r.rss < 0 || r.pss < 0 || r.uss < 0) {
			t.Errorf("rollup %+v", r)
		}
		if pids, err := parseChildren(nil, "x", text); err == nil {
			for _, pid := range pids {
				if pid <= 0 {
					t.Errorf("child %d", pid)
				}
			}
		}
		c := Counters{}
		_ = parseCPUStat(c, "x", text)
		for _, file := range []string{"netstat", "snmp"} {
			_ = parseNet(c, "x", file, text)
		}
		if steal, err := parseSteal("x", text); err == nil {
			c["host_steal_ns"] = int64(steal)
		}
		for key, n := range c {
			if n < 0 {
				t.Errorf("%s %d", key, n)
			}
		}
		if n, err := parseCPUList("x", string(text)); err == nil && n <= 0 {
			t.Errorf("CPU list of %d", n)
		}
		if v1, v2, err := parseCgroup("x", text); err == nil {
			for _, group := range []string{v1, v2} {
				if group != "" && group[0] != '/' {
					t.Errorf("group %q", group)
				}
			}
		}
	})
}
