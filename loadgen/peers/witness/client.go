package witness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"edgebench/loadgen/peers/process"
)

// A Witness is a running witness process.
type Witness struct {
	URL    string
	server *process.Server
	stdin  *io.PipeWriter
	lines  *bufio.Reader
}

// Start starts a witness pinned to a core.
func Start(ctx context.Context, core int, plan Plan) (*Witness, error) {
	text, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	stdinReader, stdin := io.Pipe()
	stdoutReader, stdout := io.Pipe()
	c := process.Command{Args: []string{"/proc/self/exe"}, Core: core, Env: []string{variable + "=" + string(text)}}
	server, err := process.Serve(ctx, c, stdinReader, stdout)
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	go func() { // so that a reader never waits for a witness that has ended
		<-server.Ended()
		stdout.CloseWithError(io.EOF)
		stdinReader.CloseWithError(io.EOF)
	}()
	w := &Witness{server: server, stdin: stdin, lines: bufio.NewReader(stdoutReader)}
	var r ready
	if err := w.read(&r); err != nil {
		w.Stop()
		return nil, err
	}
	w.URL = "http://" + r.Address + "/"
	return w, nil
}

func (w *Witness) read(to any) error {
	line, err := w.lines.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		<-w.server.Ended()
		return fmt.Errorf("witness: %w", w.server.Fault())
	}
	if err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	return json.Unmarshal(line, to)
}

// Finish ends the witness and returns what it saw.
func (w *Witness) Finish() (Arrivals, error) {
	defer w.Stop()
	var a Arrivals
	if err := w.stdin.Close(); err != nil {
		return a, err
	}
	return a, w.read(&a)
}

// Stop ends the witness, whatever it saw. It may be called after Finish.
func (w *Witness) Stop() {
	w.stdin.Close()
	w.server.Stop()
}
