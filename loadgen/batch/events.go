package batch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// An Event is something of a batch's night worth telling in the morning.
type Event struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"` // one of the constants below
	Trial  string    `json:"trial,omitempty"`
	Worker string    `json:"worker,omitempty"`
	Node   string    `json:"node,omitempty"`
	Reason string    `json:"reason,omitempty"` // of a quarantine
	Text   string    `json:"text"`             // a sentence for people
}

// Kinds of events.
const (
	EventBegan      = "began" // a coordinator, also after a crash
	EventJoined     = "joined"
	EventSilent     = "silent"     // a worker was not heard of for a lease
	EventAttempt    = "attempt"    // one came to nothing
	EventQuarantine = "quarantine" // of a node
	EventLifted     = "lifted"     // a quarantine
	EventCleared    = "cleared"    // processes left behind on a node were ended
	EventRemade     = "remade"     // a result was lost or damaged
	EventMirror     = "mirror"     // a copy failed
	EventPhase      = "phase"      // the batch was drained or cancelled
	EventOver       = "over"       // nothing is left to be done
)

const eventsFile = "events.jsonl"

// Record adds an event to the folder's. Nothing depends on one that is lost by a
// crash, so it is not synced.
func (f Folder) Record(e Event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(f.dir, eventsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(append(data, '\n'))
	return errors.Join(err, file.Close())
}

// Events are those of every coordinator of the folder so far. A line that a crash
// cut is left out.
func (f Folder) Events() ([]Event, error) {
	file, err := os.Open(filepath.Join(f.dir, eventsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var events []Event
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		var e Event
		if json.Unmarshal(line, &e) == nil {
			events = append(events, e)
		}
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
	}
}

// Quarantined are the nodes whose quarantine was not lifted, with the reason.
func Quarantined(events []Event) map[string]string {
	nodes := map[string]string{}
	for _, e := range events {
		switch e.Kind {
		case EventQuarantine:
			nodes[e.Node] = e.Reason
		case EventLifted:
			delete(nodes, e.Node)
		}
	}
	return nodes
}

// tell records an event and says it aloud.
func (c *Coordinator) tell(e Event) {
	e.At = time.Now().UTC()
	if !e.quiet(c.Alone) {
		fmt.Fprintln(c.Notice, e.Text)
	}
	if err := c.Folder.Record(e); err != nil {
		fmt.Fprintf(c.Notice, "%v\n", err)
	}
}

// quiet reports whether the command itself makes the event plain.
func (e Event) quiet(alone bool) bool {
	return e.Kind == EventBegan || e.Kind == EventOver || alone && e.Kind == EventJoined
}
