package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"edgebench/analysis/rundir"
)

// A logLine is an event in words.
type logLine struct {
	T     float64 `json:"t"`     // seconds of the run; negative before it
	Class string  `json:"class"` // phase | alarm | worker | error | node: what a page filters and colours by
	Text  string  `json:"text"`
}

// classes of events; others are the node's.
var classes = map[string]string{
	"phase_start": "phase", "alarm": "alarm", "oneoff": "worker", "worker_start": "worker", "worker_ready": "worker", "worker_end": "worker",
	"error": "error", "clock_step": "error", "forecast_late": "error", "fitter_end": "error",
}

// silent are events that a page draws, and does not list.
var silent = []string{"decision", "node_state"}

// maxText bounds a line; the file has it whole.
const maxText = 300

// lineOf is the event as a line, false for one that is not listed.
func lineOf(e *rundir.Event, t float64) (logLine, bool) {
	if slices.Contains(silent, e.Event) {
		return logLine{}, false
	}
	class, known := classes[e.Event]
	if !known {
		class = "node"
	}
	if e.Event == "worker_end" && e.Reason == "crash" {
		class = "error"
	}
	text := strings.ReplaceAll(e.Event, "_", " ") + details(e.Raw)
	if e.Event == "phase_start" {
		text = fmt.Sprintf("phase %s, cycle %d", e.Phase, e.Cycle)
	}
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "…"
	}
	return logLine{t, class, text}, true
}

// details are the members of an event beside those every one has, in their order.
func details(raw json.RawMessage) string {
	var b strings.Builder
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return ""
	}
	for d.More() {
		name, err := d.Token()
		var v any
		if err == nil {
			err = d.Decode(&v)
		}
		if err != nil {
			break
		}
		switch name {
		case "seq", "unix_ns", "event":
			continue
		}
		if f, ok := v.(json.Number); ok {
			if x, err := f.Float64(); err == nil {
				v = fmt.Sprintf("%.6g", x)
			}
		}
		fmt.Fprintf(&b, "  %v %v", name, v)
	}
	return b.String()
}
