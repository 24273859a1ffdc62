package smaps

import (
	"os"
	"strings"
	"testing"
)

const captured = `00400000-7ffd000 ---p 00000000 00:00 0    [rollup]
Rss:              101964 kB
Pss:                6812 kB
Pss_Dirty:          6700 kB
Shared_Clean:       1800 kB
Private_Clean:       108 kB
Private_Dirty:       240 kB
`

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := parse(captured)
	if want := (Memory{RSS: 101964 << 10, PSS: 6812 << 10, USS: 348 << 10}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for _, bad := range []string{"", strings.Replace(captured, "Pss: ", "Qss: ", 1), strings.Replace(captured, "101964", "many", 1)} {
		if got, err := parse(bad); err == nil {
			t.Errorf("%q gives %+v", bad, got)
		}
	}
}

func TestReadOurselves(t *testing.T) {
	t.Parallel()
	m, err := Read(os.Getpid())
	if err != nil || m.USS <= 0 || m.PSS < m.USS || m.RSS < m.PSS {
		t.Errorf("%+v, %v: want RSS ≥ PSS ≥ USS > 0", m, err)
	}
	if _, err := Read(1 << 30); !os.IsNotExist(err) {
		t.Errorf("a process that is not there: %v", err)
	}
}
