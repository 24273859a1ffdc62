package live

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	// patience is how long a browser may take to accept a message before its
	// connection is closed; it may come again.
	patience = 10 * time.Second
	// heartbeat keeps a silent connection open, and finds out one that is dead.
	heartbeat = 15 * time.Second
	// retry is how long a browser waits before it comes again.
	retry = time.Second
)

// stream sends server-sent events until the feed's last word, or until the
// browser leaves.
func stream(w http.ResponseWriter, r *http.Request, f *Feed) {
	out := http.NewResponseController(w)
	missed := 0
	if id, err := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64); err == nil {
		missed = f.missedSince(id)
	}
	v := f.watch(missed)
	defer f.leave(v)
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(format string, args ...any) error {
		if err := out.SetWriteDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return err
		}
		return out.Flush()
	}
	if send("retry: %d\n\n", retry.Milliseconds()) == nil {
		v.follow(r.Context(), f, send)
	}
}

// follow sends what comes. An error of send is a browser that left.
func (v *viewer) follow(ctx context.Context, f *Feed, send func(string, ...any) error) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case m := <-v.queue:
			m = f.current(v, m)
			if send("id: %d\nevent: %s\ndata: %s\n\n", m.id, m.name, m.data) != nil || m.last {
				return
			}
		case <-beat.C:
			if send(": still here\n\n") != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
