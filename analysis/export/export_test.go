package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"edgebench/analysis/qpn/twin"
	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

// written makes a run directory of given samples.
func written(tb testing.TB, n int, sample func(i int) rundir.Sample) string {
	tb.Helper()
	m := rundir.NewManifest(rundir.ProducerLoadgen, time.Unix(1_796_017_500, 0))
	m.Profile, m.Mode, m.Functions = "p", "url", []string{"resize", `say "hi", twice`}
	m.Phases = []rundir.PhaseFact{{Name: "warm, up", Cycle: 1, LengthNS: 1e9}, {Name: "spike", Cycle: 2, StartNS: 1e9, LengthNS: 1e9}}
	d, err := rundir.Create(tb.TempDir(), "run")
	if err != nil {
		tb.Fatal(err)
	}
	w, err := d.Samples()
	if err == nil {
		err = d.WriteManifest(m)
	}
	for i := 0; err == nil && i < n; i++ {
		err = w.WriteSamples([]rundir.Sample{sample(i)})
	}
	if err != nil {
		tb.Fatal(err)
	}
	dir, err := d.Seal()
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}

// kinds are requests of every kind there is, in turn.
func kinds(i int) rundir.Sample {
	s := rundir.Sample{Index: uint64(i), Phase: int32(i % 2), Function: int32(i / 2 % 2), Scheduled: int64(i) * 1000}
	switch i % 5 {
	case 0:
		s.Outcome, s.Drop = rundir.Dropped, rundir.DropLate
		return s
	case 1:
		s.Sent, s.Outcome = s.Scheduled+70, rundir.OpenAtEnd
		return s
	case 2:
		s.Sent, s.Done, s.Outcome = s.Scheduled+80, s.Scheduled+900, rundir.ErrReset
		return s
	case 3:
		s.Cold = rundir.MarkYes
	case 4:
		s.Path, s.Worker, s.QueueWaitNS, s.ServiceNS = rundir.PathQueued, 3, 40, 500
	}
	s.ConnectWaitNS, s.Sent, s.Done, s.Status, s.Bytes = 10, s.Scheduled+90, s.Scheduled+1000, 200, 231
	return s
}

// Both forms say the same of every request, and what the samples say.
func TestFormsAgree(t *testing.T) {
	t.Parallel()
	const n = 1000
	dir := written(t, n, kinds)
	var table, columns bytes.Buffer
	notes, err := CSV(dir, &table)
	if err != nil || notes.Rows != n {
		t.Fatal(notes, err)
	}
	if notes, err = Parquet(dir, &columns); err != nil || notes.Rows != n {
		t.Fatal(notes, err)
	}
	lines, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[Row](bytes.NewReader(columns.Bytes()), int64(columns.Len()))
	if err != nil || len(rows) != n || len(lines) != n+1 {
		t.Fatal(len(rows), len(lines), err)
	}
	if diff := cmp.Diff(Columns(), lines[0]); diff != "" {
		t.Error(diff)
	}
	for i := range rows {
		if diff := cmp.Diff(text(&rows[i]), lines[i+1]); diff != "" {
			t.Fatalf("row %d: Parquet and CSV differ:\n%s", i, diff)
		}
	}
	want := []string{"9", "spike", "2", "resize", "ok", "", "queued", "false", "200", "9000", "9090", "10000", "80", "10", "910", "1000", "231", "3", "40", "0", "500"}
	if diff := cmp.Diff(want, lines[10]); diff != "" {
		t.Error(diff)
	}
	if dropped := strings.Join(lines[1], ","); dropped != "0,warm, up,1,resize,dropped,late,,,,0,,,,,,,0,,,," {
		t.Error(dropped)
	}
}

// text writes a row as CSV has it, the slow and plain way.
func text(r *Row) []string {
	whole := func(v *int64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatInt(*v, 10)
	}
	cold, status := "", ""
	if r.Cold != nil {
		cold = strconv.FormatBool(*r.Cold)
	}
	if r.Status != nil {
		status = strconv.Itoa(int(*r.Status))
	}
	return []string{
		whole(&r.Index), r.Phase, strconv.Itoa(int(r.Cycle)), r.Function, r.Outcome, r.Drop, r.Path, cold, status, whole(&r.ScheduledNS),
		whole(r.SentNS), whole(r.DoneNS), whole(r.LagNS), whole(r.ConnectNS), whole(r.ServiceNS), whole(r.ResponseNS), whole(&r.Bytes),
		whole(r.Worker), whole(r.QueueNS), whole(r.StartNS), whole(r.InsideNS),
	}
}

// A run of nothing is a file of its own: a header, or a schema, and no row.
func TestExportOfNothing(t *testing.T) {
	t.Parallel()
	dir := written(t, 0, nil)
	var table, columns bytes.Buffer
	if _, err := CSV(dir, &table); err != nil || table.String() != strings.Join(Columns(), ",")+"\n" {
		t.Errorf("%v %q", err, table.String())
	}
	if _, err := Parquet(dir, &columns); err != nil {
		t.Fatal(err)
	}
	if rows, err := parquet.Read[Row](bytes.NewReader(columns.Bytes()), int64(columns.Len())); err != nil || len(rows) != 0 {
		t.Errorf("%v %v", rows, err)
	}
	if _, err := CSV(t.TempDir(), io.Discard); !errors.Is(err, rundir.ErrNotARun) {
		t.Errorf("an empty folder: %v", err)
	}
}

// Memory does not grow with the run: a CSV row costs no allocation, and a
// Parquet file ends in groups of rows.
func TestExportStreams(t *testing.T) {
	const n = 200_000
	dir := written(t, n, kinds)
	m, err := rundir.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	var f filler
	c, s := csvSink{w: bufio.NewWriter(io.Discard)}, kinds(4)
	if allocs := testing.AllocsPerRun(100, func() {
		if err := c.write(f.fill(m, &s)); err != nil {
			t.Error(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations a row", allocs)
	}
	var columns bytes.Buffer
	if _, err := Parquet(dir, &columns); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(columns.Bytes()), int64(columns.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if groups := len(file.RowGroups()); groups != int(math.Ceil(float64(n)/rowGroup)) {
		t.Errorf("%d groups of rows", groups)
	}
}

// A run of the twin, whole: every request is there, by phase and cycle.
func TestExportOfARun(t *testing.T) {
	t.Parallel()
	p, err := profiles.Load("bursty-ramp-quick")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := twin.Trial{Profile: p, Phase: -1}.Record(context.Background(), t.TempDir(), "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	var columns bytes.Buffer
	if _, err := Parquet(dir, &columns); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[Row](bytes.NewReader(columns.Bytes()), int64(columns.Len()))
	if err != nil {
		t.Fatal(err)
	}
	spikes := 0
	for _, r := range rows {
		if r.Phase == "spike" {
			spikes++
		}
	}
	if len(rows) != 2794 || spikes != 600 {
		t.Errorf("%d requests, %d in spikes", len(rows), spikes)
	}
}
