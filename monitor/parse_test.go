package monitor

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const statLine = "7101 (edge-worker) S 7086 6943 3519 0 -1 4194304 276 0 0 0 2 4 30 1 20 0 4 0 374203 1295978496 1922"

func TestParseStat(t *testing.T) {
	t.Parallel()
	plain := stat{
		pid: 7101, comm: []byte("edge-worker"), state: 'S', ppid: 7086,
		own: 60 * time.Millisecond, reaped: 310 * time.Millisecond, threads: 4, start: 374203,
	}
	odd := plain
	odd.comm = []byte("a) R 1 (b")
	for _, tc := range []struct {
		name, text string
		want       stat
		err        string
	}{
		{name: "plain", text: statLine, want: plain},
		{name: "name with blanks and parentheses", text: strings.Replace(statLine, "edge-worker", "a) R 1 (b", 1), want: odd},
		{name: "empty", text: "", err: `x/stat: "": want a pid and a name in parentheses`},
		{name: "no name", text: "12 S 1", err: "a name in parentheses"},
		{name: "pid", text: "-1 (a) S", err: `"-1 ": want a pid`},
		{name: "state", text: "1 (a)", err: "a state of one letter"},
		{name: "cut", text: "1 (a) S 0 0", err: `"": want a number in field 14`},
		{name: "time", text: strings.Replace(statLine, " 2 4 ", " 2 four ", 1), err: `"four": want a number in field 15`},
		{name: "times beyond a Duration", text: strings.Replace(statLine, " 2 4 ", " 2 9223372036854775807 ", 1), err: "want at most 146 years"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseStat("x/stat", []byte(tc.text))
			wantError(t, err, tc.err)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(stat{})); tc.err == "" && diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseRollup(t *testing.T) {
	t.Parallel()
	const good = "00400000-7ffd ---p 00000000 00:00 0 [rollup]\nRss: 9832 kB\nPss: 5520 kB\nPss_Dirty: 7 kB\n" +
		"Shared_Clean: 1 kB\nPrivate_Clean: 100 kB\nPrivate_Dirty: 28 kB\nNewer: word\n"
	for _, tc := range []struct {
		name, text string
		want       rollup
		err        string
	}{
		{name: "plain", text: good, want: rollup{rss: 9832 << 10, pss: 5520 << 10, uss: 128 << 10}},
		{name: "huge pages are private too", text: good + "Private_Hugetlb: 2048 kB\n", want: rollup{rss: 9832 << 10, pss: 5520 << 10, uss: 2176 << 10}},
		{name: "empty", err: "want Rss, Pss, Private_Clean and Private_Dirty"},
		{name: "cut", text: good[:90], err: "want Rss, Pss"},
		{name: "unit", text: strings.Replace(good, "5520 kB", "5520 MB", 1), err: `"Pss: 5520 MB\n": want a number of kB`},
		{name: "negative", text: strings.Replace(good, "9832", "-9832", 1), err: "a number of kB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseRollup("x/smaps_rollup", []byte(tc.text))
			wantError(t, err, tc.err)
			if tc.err == "" && got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestParseSmallFiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		parse func(text string) (any, error)
		text  string
		want  any
		err   string
	}{
		{"statm", statmOf, "317 960 706 351 0 194 0\n", int64(960), ""},
		{"statm cut", statmOf, "317", nil, `x: "317": want resident pages`},
		{"children", childrenOf, "7092 7101 7109 \n", []int{7092, 7101, 7109}, ""},
		{"no children", childrenOf, "", []int(nil), ""},
		{"children text", childrenOf, "12 x", nil, `x: "x": want a pid`},
		{"children zero", childrenOf, "0", nil, "want a pid"},
		{"steal", stealOf, "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1\n", 80 * time.Millisecond, ""},
		{"steal cut", stealOf, "cpu  1 2 3 4\n", nil, "steal in the eighth number"},
		{"steal of one", stealOf, "cpu0  1 2 3 4\n", nil, "the line of all CPUs first"},
		{"CPU list", cpuListOf, "0-3,6", 5, ""},
		{"CPU list backwards", cpuListOf, "3-0", nil, `x: "3-0": want a list of CPUs`},
		{"CPU list endless", cpuListOf, "0-9223372036854775807", nil, "a list of CPUs"},
		{"cpu.stat v2", cpuStatOf, "usage_usec 9\nnr_periods 5\nnr_throttled 2\nthrottled_usec 7\n",
			Counters{"cgroup_periods": 5, "cgroup_throttled_periods": 2, "cgroup_throttled_ns": 7000}, ""},
		{"cpu.stat v1", cpuStatOf, "nr_periods 5\nnr_throttled 2\nthrottled_time 7\n",
			Counters{"cgroup_periods": 5, "cgroup_throttled_periods": 2, "cgroup_throttled_ns": 7}, ""},
		{"cpu.stat text", cpuStatOf, "nr_throttled many\n", nil, `"nr_throttled many\n": want a count`},
		{"cpu.stat overflow", cpuStatOf, "throttled_usec 9223372036854775807\n", nil, "want a count"},
		{"net", netOf, "TcpExt: A ListenDrops B\nTcpExt: 1 22 3\nIpExt: C\nIpExt: 4\n", Counters{"tcp_listen_drops": 22}, ""},
		{"net of another group", netOf, "IpExt: ListenDrops\nIpExt: 4\n", Counters{}, ""},
		{"net short", netOf, "TcpExt: A ListenDrops\nTcpExt: 1\n", nil, "as many values as names in group TcpExt"},
		{"net group", netOf, "TcpExt: A\nIpExt: 1\n", nil, `x: "IpExt:": want values of group TcpExt:`},
		{"net value", netOf, "TcpExt: ListenDrops\nTcpExt: x\n", nil, `x: "x": want a count of ListenDrops`},
		{"cgroup", cgroupOf, "9:name=systemd:/\n2:cpu,cpuacct:/a\n0::/b:c\n", [2]string{"/a", "/b:c"}, ""},
		{"cgroup v2 only", cgroupOf, "0::/\n", [2]string{"", "/"}, ""},
		{"cgroup text", cgroupOf, "0:/\n", nil, "want number:controllers:/path"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.parse(tc.text)
			wantError(t, err, tc.err)
			if diff := cmp.Diff(tc.want, got); tc.err == "" && diff != "" {
				t.Error(diff)
			}
		})
	}
}

func statmOf(text string) (any, error)    { return parseStatm("x", []byte(text)) }
func childrenOf(text string) (any, error) { return parseChildren(nil, "x", []byte(text)) }
func stealOf(text string) (any, error)    { return parseSteal("x", []byte(text)) }
func cpuListOf(text string) (any, error)  { return parseCPUList("x", text) }

func cpuStatOf(text string) (any, error) {
	c := Counters{}
	return c, parseCPUStat(c, "x", []byte(text))
}

func netOf(text string) (any, error) {
	c := Counters{}
	return c, parseNet(c, "x", "netstat", []byte(text))
}

func cgroupOf(text string) (any, error) {
	v1, v2, err := parseCgroup("x", []byte(text))
	return [2]string{v1, v2}, err
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	switch {
	case text == "" && err != nil:
		t.Fatal(err)
	case text != "" && err == nil:
		t.Fatalf("no error, want one with %q", text)
	case text != "" && !strings.Contains(err.Error(), text):
		t.Fatalf("error %q, want one with %q", err, text)
	}
}
