package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// maxDecoderMemory bounds what a damaged frame header may ask for.
const maxDecoderMemory = 128 << 20

// maxNumber is the largest number a field may hold; in nanoseconds 31 years.
const maxNumber = 1e18 - 1

// ReadSamples calls each for every row of samples.csv.zst of a run directory.
// The sample is valid until each returns. An error of each ends the reading
// and is returned as it is.
func ReadSamples(dir string, each func(*Sample) error) (ReadNotes, error) {
	path := filepath.Join(dir, SamplesFile)
	f, err := open(path)
	if err != nil {
		return ReadNotes{}, err
	}
	defer f.Close()
	// One decoder goroutine works ahead of the parser; more would buy little
	// and take the cores of whoever runs beside.
	zr, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxDecoderMemory))
	if err != nil {
		return ReadNotes{}, Unreadable(fmt.Errorf("%s: %w", path, err))
	}
	defer zr.Close()
	return readSamples(path, zr, each)
}

func readSamples(name string, r io.Reader, each func(*Sample) error) (ReadNotes, error) {
	lines := newLineReader(name, r)
	header, err := lines.next()
	if errors.Is(err, io.EOF) {
		if lines.notes.Torn == "" {
			lines.notes.Torn = "empty file"
		}
		return lines.notes, nil
	}
	if err != nil {
		return lines.notes, err
	}
	// The order of columns is part of the schema here, and not looked up by
	// name: this is the one file with millions of rows.
	if string(header) != sampleColumns {
		return lines.notes, Unreadable(fmt.Errorf("%s:1: columns %.200q, expected %q", name, header, sampleColumns))
	}
	var s Sample
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return lines.notes, nil
		}
		if err != nil {
			return lines.notes, err
		}
		nan, err := parseSample(lines, line, &s)
		switch {
		case err != nil:
			return lines.notes, err
		case nan:
			lines.notes.NaNRows++
			continue
		}
		lines.notes.Rows++
		if err := each(&s); err != nil {
			return lines.notes, err
		}
	}
}

// A rowParser takes a row apart field by field and keeps the first fault.
type rowParser struct {
	lines *lineReader
	rest  []byte
	more  bool
	nan   bool
	err   error
}

func parseSample(lines *lineReader, line []byte, s *Sample) (nan bool, err error) {
	p := rowParser{lines: lines, rest: line, more: true}
	*s = Sample{}
	s.Index = uint64(p.number("index", 0, maxNumber))
	s.Phase = int32(p.number("phase", 0, 1<<31-1))
	s.Outcome = p.outcome()
	s.Drop = p.drop()
	s.Path = p.path()
	s.Cold = p.mark()
	s.Status = uint16(p.optional("status", 0, 1<<16-1))
	s.Scheduled = p.number("scheduled_ns", 0, maxNumber)
	lag, response := int64(0), int64(0)
	sent := s.Outcome != Dropped
	if sent {
		lag = p.number("lag_ns", -maxNumber, maxNumber)
	} else {
		p.empty("lag_ns")
	}
	answered := sent && s.Outcome != OpenAtEnd
	if answered {
		response = p.number("response_ns", -maxNumber, maxNumber)
	} else {
		p.empty("response_ns")
	}
	if answered {
		s.Done = s.Scheduled + response
	}
	s.Bytes = p.optional("bytes", 0, maxNumber)
	s.Worker = p.optional("worker", -maxNumber, maxNumber)
	s.QueueWaitNS = p.optional("node_queue_wait_ns", 0, maxNumber)
	s.StartWaitNS = p.optional("node_start_wait_ns", 0, maxNumber)
	s.ServiceNS = p.optional("node_service_ns", 0, maxNumber)
	s.Function = int32(p.optional("function", 0, 1<<31-1))
	s.ConnectWaitNS = p.optional("connect_wait_ns", 0, maxNumber)
	if sent {
		s.Sent = s.Scheduled + lag + s.ConnectWaitNS
	}
	if p.err == nil && p.more {
		p.err = lines.fault("row", line, fmt.Sprintf("more than %d columns", numSampleColumns))
	}
	// A row that is broken in another place too is broken, NaN or not.
	return p.nan, p.err
}

// field is the next field's text; a missing one is a fault.
func (p *rowParser) field(column string) []byte {
	if !p.more {
		p.fault(column, nil, "column missing")
		return nil
	}
	i := bytes.IndexByte(p.rest, ',')
	if i < 0 {
		p.more = false
		return p.rest
	}
	text := p.rest[:i]
	p.rest = p.rest[i+1:]
	return text
}

func (p *rowParser) fault(column string, text []byte, why string) {
	if p.err == nil {
		p.err = p.lines.fault(column, text, why)
	}
}

func (p *rowParser) number(column string, low, high int64) int64 {
	return p.parse(column, p.field(column), low, high)
}

func (p *rowParser) parse(column string, text []byte, low, high int64) int64 {
	v, ok := parseInt(text)
	switch {
	case ok && v >= low && v <= high:
		return v
	case isNaN(text):
		p.nan = true
	case ok:
		p.fault(column, text, fmt.Sprintf("outside %d to %d", low, high))
	default:
		p.fault(column, text, "not a whole number")
	}
	return 0
}

// optional is a number or an empty field, which is 0.
func (p *rowParser) optional(column string, low, high int64) int64 {
	text := p.field(column)
	if len(text) == 0 {
		return 0
	}
	return p.parse(column, text, low, high)
}

func (p *rowParser) empty(column string) {
	text := p.field(column)
	if len(text) == 0 {
		return
	}
	if isNaN(text) {
		p.nan = true
		return
	}
	p.fault(column, text, "must be empty for this outcome")
}

func (p *rowParser) outcome() Outcome {
	text := p.field("outcome")
	for o, name := range outcomeNames { // ok comes first and is nearly always it
		if string(text) == name {
			return Outcome(o)
		}
	}
	p.fault("outcome", text, "not an outcome")
	return OK
}

func (p *rowParser) drop() DropReason {
	text := p.field("drop")
	for d, name := range dropNames {
		if string(text) == name {
			return DropReason(d)
		}
	}
	p.fault("drop", text, "not a drop reason")
	return DropNone
}

func (p *rowParser) path() Path {
	text := p.field("path")
	path := ParsePath(text)
	if path == PathUnknown && len(text) > 0 {
		p.fault("path", text, "not a path")
	}
	return path
}

func (p *rowParser) mark() Mark {
	text := p.field("cold")
	for m, name := range markNames {
		if string(text) == name {
			return Mark(m)
		}
	}
	p.fault("cold", text, "neither yes nor no nor empty")
	return MarkNone
}
