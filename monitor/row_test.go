package monitor

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"
)

func TestRowRecord(t *testing.T) {
	t.Parallel()
	known := func(n int64) Null[int64] { return Null[int64]{V: n, Valid: true} }
	row := Row{
		At: -5, Unix: 1796021208000000001, Late: 7, Skipped: 1, Node: true, Workers: 2, Processes: 4, Missing: 1,
		RSS: known(40), PSS: known(30), USS: known(20), NodePSS: known(1), WorkersPSS: known(29), FitterPSS: known(5),
		PSSMissing: 3, PSSAge: 8, PSSInterval: time.Second, CPU: 61*time.Second + 5, CPUShare: Null[float64]{V: 0.25, Valid: true},
		GeneratorCPU: 2 * time.Millisecond, GeneratorRSS: known(9), GeneratorFiles: known(12), SamplerCPU: 10 * time.Second, SamplerWall: 11,
	}
	const want = "-5,1796021208000000001,7,1,2,4,1,40,30,20,1,,29,5,3,8,1000000000,61.000000005,0.250000,0.002000000,9,12,10.000000000,11"
	text := string(row.Append([]byte("x"))[1:])
	if text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	records, err := csv.NewReader(strings.NewReader(strings.Join(Columns(), ",") + "\n" + text + "\n")).ReadAll()
	if err != nil || len(records) != 2 {
		t.Errorf("%v %v: not a header with its record", records, err)
	}
}

// Not parallel: it counts the allocations of the whole process.
func TestRowAppendAllocates(t *testing.T) {
	row := Row{At: 1, Node: true, CPU: time.Second, CPUShare: Null[float64]{V: 0.5, Valid: true}}
	buf := make([]byte, 0, 512)
	if n := testing.AllocsPerRun(100, func() { buf = row.Append(buf[:0]) }); n != 0 {
		t.Errorf("%v allocations a record, want none", n)
	}
}
