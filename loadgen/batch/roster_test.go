package batch

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestRoster(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_700_000_000, 0)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	r := newRoster(30 * time.Second)
	a := Presence{Worker: "a", Instance: "1", Node: "n", Host: "h", Doing: Idle}
	if refused, joined, _ := r.hear(a, at(0)); refused != "" || !joined {
		t.Errorf("joins: %q, %v", refused, joined)
	}
	if _, joined, _ := r.hear(a, at(5)); joined {
		t.Error("a heartbeat is no joining")
	}
	again := a
	again.Instance = "2"
	if refused, joined, _ := r.hear(again, at(6)); refused != "" || !joined {
		t.Errorf("started again: %q, %v", refused, joined)
	}
	twin := a
	twin.Instance, twin.Host = "3", "elsewhere"
	if refused, _, _ := r.hear(twin, at(7)); refused == "" {
		t.Error("two workers of a name on two hosts")
	}
	if gone := r.lost(at(35)); len(gone) > 0 {
		t.Errorf("lost within its lease: %v", gone)
	}
	if gone := r.lost(at(36)); len(gone) != 1 || gone[0].Instance != "2" {
		t.Errorf("after its lease: %v", gone)
	}
	if refused, _, _ := r.hear(twin, at(37)); refused != "" {
		t.Errorf("the name is free again: %s", refused)
	}
	twin.Doing = Leaving
	if r.hear(twin, at(38)); len(r.list()) > 0 {
		t.Errorf("it left: %v", r.list())
	}
}

func TestQuarantineIsOfTheNode(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	r := newRoster(time.Minute)
	for failures, want := range []bool{false, false, true, false} {
		_, _, isolated := r.hear(Presence{Worker: "a", Instance: "1", Node: "n", Failures: failures}, now)
		if isolated != want {
			t.Errorf("%d failures: %v", failures, isolated)
		}
	}
	r.hear(Presence{Worker: "b", Instance: "1", Node: "n"}, now)
	r.hear(Presence{Worker: "c", Instance: "1", Node: "m"}, now)
	if r.able() != 1 {
		t.Errorf("%d able, want the one on the other node", r.able())
	}
	for _, m := range r.list() {
		if (m.Quarantine != "") != (m.Node == "n") {
			t.Errorf("%s on %s: %q", m.Worker, m.Node, m.Quarantine)
		}
	}
	if err := r.lift("m"); !errors.Is(err, ErrNotIsolated) || !strings.HasSuffix(err.Error(), ": n is") {
		t.Errorf("%v: want who is in quarantine", err)
	}
	if err := r.lift("n"); err != nil || r.able() != 3 {
		t.Errorf("lifted: %d able", r.able())
	}
}

func TestQuarantineOutlivesTheCoordinator(t *testing.T) {
	t.Parallel()
	f := NewFolder(t.TempDir())
	for _, e := range []Event{
		{Kind: EventQuarantine, Node: "n", Reason: "broken"},
		{Kind: EventQuarantine, Node: "m", Reason: "broken too"},
		lifted("n"),
	} {
		if err := f.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	events, err := f.Events()
	if nodes := Quarantined(events); err != nil || len(nodes) != 1 || nodes["m"] != "broken too" {
		t.Errorf("%v, %v", nodes, err)
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	now := time.Unix(1_700_000_000, 0)
	if left := p.left(time.Hour, 2); left != 30*time.Minute {
		t.Errorf("before the first trial: %v", left)
	}
	trial := Trial{ID: "t", Length: time.Minute}
	planned, claimed, done := Entry{}, Entry{Record: Record{State: Claimed, Attempt: 1}}, Entry{Record: Record{State: Done, Attempt: 1}}
	p.note(trial, planned, claimed, now)
	p.note(trial, claimed, done, now.Add(15*time.Second))
	if left := p.left(time.Hour, 0); left != 15*time.Minute {
		t.Errorf("trials take a quarter of what was planned: %v", left)
	}
}
