package rundir

import (
	"strings"
	"testing"
	"time"

	"edgebench/profiles/arrival"
)

func replayable(t *testing.T, change func(*Manifest)) string {
	t.Helper()
	d := mustCreate(t, t.TempDir(), "run")
	m := NewManifest(ProducerLoadgen, time.Unix(1, 0))
	m.Functions, m.DurationNS = []string{"a", "b"}, int64(10*time.Second)
	if change != nil {
		change(m)
	}
	w, err := d.Samples()
	if err != nil {
		t.Fatal(err)
	}
	// In the order in which requests ended, and one that was never sent.
	rows := []Sample{
		{Index: 2, Function: 1, Scheduled: 4e9, Sent: 4e9, Done: 5e9},
		{Index: 0, Scheduled: 1e9, Sent: 1e9, Done: 6e9},
		{Index: 1, Function: 1, Scheduled: 2e9, Outcome: Dropped, Drop: DropMaxInFlight},
	}
	if err := w.WriteSamples(rows); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteManifest(m); err != nil {
		t.Fatal(err)
	}
	dir, err := d.Seal()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReplay(t *testing.T) {
	t.Parallel()
	tr, err := ReadReplay(replayable(t, nil), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := arrival.NewRecorded(nil, tr.Source, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []arrival.Arrival
	st := s.Stream()
	for a, ok := st.Next(); ok; a, ok = st.Next() {
		got = append(got, a)
	}
	want := []arrival.Arrival{{At: 500 * time.Millisecond}, {Index: 1, At: time.Second, Function: 1}, {Index: 2, At: 2 * time.Second, Function: 1}}
	if len(got) != 3 || [3]arrival.Arrival(got) != [3]arrival.Arrival(want) {
		t.Errorf("%+v", got)
	}
	if s.Duration() != 5*time.Second || s.Functions()[1].Name != "b" || tr.Kept != 3 {
		t.Errorf("%v, %+v, %+v", s.Duration(), s.Functions(), tr)
	}
}

func TestRunsThatCannotBeReplayed(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*Manifest){
		func(m *Manifest) { m.RowsSkipped = 7 },
		func(m *Manifest) { m.RowsLost = 7 },
	} {
		if _, err := ReadReplay(replayable(t, change), 1, 1); err == nil || !strings.Contains(err.Error(), "7 of its requests have no row") {
			t.Errorf("error %v", err)
		}
	}
	if _, err := ReadReplay(replayable(t, func(m *Manifest) { m.Functions = m.Functions[:1] }), 1, 1); err == nil {
		t.Error("a function without a name was accepted")
	}
	tr, err := ReadReplay(replayable(t, func(m *Manifest) { m.Interruption = "stopped" }), 1, 1)
	if err != nil || len(tr.Notes) != 1 {
		t.Errorf("%+v, %v", tr, err)
	}
}
