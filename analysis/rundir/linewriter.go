package rundir

import (
	"encoding/json"
	"strings"
	"sync"
)

// A LineWriter appends whole lines to one text file of a draft. Several
// goroutines may use it: events come from the engine and from the node.
type LineWriter struct {
	mu   sync.Mutex
	file *file
	line []byte
}

func (d *Draft) lines(name string) (*LineWriter, error) {
	f, err := d.create(name)
	if err != nil {
		return nil, err
	}
	return &LineWriter{file: f}, nil
}

// Monitor opens monitor.csv with its header. The sampler owns the columns,
// readers find them by name.
func (d *Draft) Monitor(columns []string) (*LineWriter, error) {
	w, err := d.lines(MonitorFile)
	if err != nil {
		return nil, err
	}
	return w, w.WriteLine([]byte(strings.Join(columns, ",")))
}

// Events opens events.jsonl: one JSON object a line, each with unix_ns and event.
func (d *Draft) Events() (*LineWriter, error) { return d.lines(EventsFile) }

// WriteLine appends line, with a newline when it has none.
func (w *LineWriter) WriteLine(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = append(w.line[:0], line...)
	if n := len(w.line); n == 0 || w.line[n-1] != '\n' {
		w.line = append(w.line, '\n')
	}
	return w.file.writeLine(w.line)
}

// WriteJSON appends v as one line of JSON.
func (w *LineWriter) WriteJSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.WriteLine(line)
}

// Close ends the file and tells the first error it ever had.
func (w *LineWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file.Close()
}
