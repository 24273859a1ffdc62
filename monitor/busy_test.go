package monitor

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestBusy(t *testing.T) {
	t.Parallel()
	f := liveFS(t)
	n := startNode(t)
	idle := n.spawn(t, "edge-idle")
	stop, stopLooking := context.WithCancel(t.Context())
	seen := make(chan []Busy, 1)
	go func() {
		var all []Busy
		for stop.Err() == nil {
			busy, err := f.Busy(stop, 100*time.Millisecond)
			if err != nil && stop.Err() == nil {
				t.Error(err)
			}
			all = append(all, busy...)
		}
		seen <- all
	}()
	burner := n.spawn(t, "edge-busy", "burn", "1500") // answers when it has burnt
	stopLooking()
	found := false
	for _, b := range <-seen {
		found = found || b.PID == burner && b.Name == "edge-busy" && b.Share >= leastBusy
		if b.PID == idle {
			t.Errorf("an idle process: %+v", b)
		}
	}
	if !found {
		t.Errorf("process %d burnt 1.5 s and was not seen", burner)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Busy(done, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that was given up: %v", err)
	}
}
