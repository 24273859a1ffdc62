package monitor

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"
)

// sample runs s until it has given count rows, and returns all of them.
func sample(t *testing.T, s Sampler, count int, each func(n int)) ([]Row, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var rows []Row
	err := s.Run(ctx, func(row Row) {
		rows = append(rows, row)
		if each != nil {
			each(len(rows))
		}
		if len(rows) == count {
			cancel()
		}
	})
	return rows, err
}

func TestSamplerRows(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	for range 3 {
		n.spawn(t, "edge-worker", "alloc", "4")
	}
	zero := time.Now()
	rows, err := sample(t, Sampler{Tree: watch(t, liveFS(t), n.pid), Zero: zero, Interval: 50 * time.Millisecond}, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 5 {
		t.Fatalf("%d rows, want 4 and the one at the end", len(rows))
	}
	for i, row := range rows {
		if row.Workers != 3 || row.Missing != 0 || row.PSSMissing != 0 || !row.GeneratorRSS.Valid {
			t.Errorf("row %d: %+v", i, row)
		}
		if row.CPUShare.Valid != (i > 0) {
			t.Errorf("row %d: share %+v", i, row.CPUShare)
		}
		if i == 0 {
			continue
		}
		last := rows[i-1]
		if row.At <= last.At || row.SamplerCPU < last.SamplerCPU || row.GeneratorCPU < row.SamplerCPU || row.CPU < last.CPU {
			t.Errorf("row %d goes back: %+v after %+v", i, row, last)
		}
	}
	var wall time.Duration
	for _, row := range rows {
		wall += row.SamplerWall
	}
	if all := time.Since(zero); wall > all {
		t.Errorf("the sampler was at work for %v of %v", wall, all)
	}
	if d := time.Duration(rows[4].Unix-zero.UnixNano()) - rows[4].At; d < -time.Minute || d > time.Minute {
		t.Errorf("the two clocks differ by %v", d)
	}
}

// TestSamplerGrowsWithTree starts workers while the sampler runs, more than a
// row waits for: the last row has the PSS of all.
func TestSamplerGrowsWithTree(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	const workers = 2 * catchUp
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last Row
	err := Sampler{Tree: watch(t, liveFS(t), n.pid), Interval: 200 * time.Millisecond}.Run(ctx, func(row Row) {
		if last.Processes == 0 {
			for range workers {
				n.spawn(t, "edge-worker")
			}
		}
		last = row
		if row.Workers == workers && row.PSSMissing == 0 {
			cancel()
		}
	})
	if err != nil || last.Processes != workers+1 {
		t.Errorf("%v, %+v", err, last)
	}
}

// TestSamplerOutlivesNode kills the node under the sampler: the rows go on,
// without memory and with the CPU time that was used.
func TestSamplerOutlivesNode(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	n.spawn(t, "edge-worker")
	rows, err := sample(t, Sampler{Tree: watch(t, liveFS(t), n.pid), Interval: 20 * time.Millisecond}, 4, func(count int) {
		if count == 2 {
			_ = n.cmd.Process.Kill()
			_ = n.cmd.Wait()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	last := rows[len(rows)-1]
	if last.Missing < 1 || last.NodePSS.Valid || last.CPU < rows[1].CPU {
		t.Errorf("%+v, want the node missing", last)
	}
}

func TestSamplerWithoutNode(t *testing.T) {
	t.Parallel()
	rows, err := sample(t, Sampler{Interval: MinInterval}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	record := strings.Split(string(rows[1].Append(nil)), ",")
	for i, name := range Columns() {
		empty := record[i] == ""
		switch name {
		case "t_ns", "unix_ns", "late_ns", "skipped", "generator_cpu_seconds", "generator_rss_bytes", "generator_open_files", "sampler_cpu_seconds", "sampler_wall_ns":
			if empty {
				t.Errorf("%s is empty", name)
			}
		default:
			if !empty {
				t.Errorf("%s is %q without a node", name, record[i])
			}
		}
	}
}

// TestSamplerReportsFailures has a captured tree with a damaged file.
func TestSamplerReportsFailures(t *testing.T) {
	t.Parallel()
	f, dir := captured(t)
	tree := watch(t, f, 7086)
	edit(t, dir+"/7092/smaps_rollup", "Pss:", "Pzz:")
	rows, err := sample(t, Sampler{Tree: tree, Interval: MinInterval}, 1, nil)
	wantError(t, err, "readings failed, the first: "+dir+"/7092/smaps_rollup")
	if rows[0].PSSMissing != 2 || rows[0].TemplatePSS.Valid || rows[0].Missing != 1 {
		t.Errorf("%+v, want the template's PSS missing", rows[0])
	}
}

func TestSamplerValidate(t *testing.T) {
	t.Parallel()
	if err := (Sampler{}).Validate(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
	err := Sampler{Interval: time.Millisecond, PSSInterval: 2 * time.Hour, MaxShare: math.NaN()}.Validate()
	for _, text := range []string{"monitor interval 1ms", "monitor PSS interval 2h0m0s", "monitor share NaN"} {
		wantError(t, err, text)
	}
}
