package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// ReadHistograms gives the distributions of tallies that ReadTotals read their
// counters from latency.hlog. A missing line is an error, a line for no
// distribution of ours is not.
func ReadHistograms(dir string, m *Manifest, a Accounts) error {
	return expectHistograms(dir, m, a, func(d *Distribution, tag string, code []byte) error {
		// Packed: the dense form makes 270 kB of counters a line, and 10,000
		// phases took 20 s.
		h, err := hdr.DecodePacked(code)
		if err == nil {
			err = d.SetHDR(h)
		}
		if err != nil {
			return fmt.Errorf("histogram %q: %w", tag, err)
		}
		return nil
	})
}

// CheckHistograms is ReadHistograms without decoding: whether the log has a whole
// line for each distribution.
func CheckHistograms(dir string, m *Manifest, a Accounts) error {
	return expectHistograms(dir, m, a, func(*Distribution, string, []byte) error { return nil })
}

// expectHistograms calls each for the line of every distribution that holds a
// value, and tells those without one.
func expectHistograms(dir string, m *Manifest, a Accounts, each func(d *Distribution, tag string, code []byte) error) error {
	expected := map[string]*Distribution{}
	for _, s := range stretches(m, a) {
		for _, m := range metrics {
			if d := m.of(s.tally); d.N > 0 {
				expected[m.name+"."+s.tag] = d
			}
		}
	}
	path := filepath.Join(dir, HistogramsFile)
	notes, err := readHistogramLines(path, func(tag string, code []byte) error {
		d, ok := expected[tag]
		if !ok {
			return nil
		}
		delete(expected, tag)
		return each(d, tag, code)
	})
	if err != nil || len(expected) == 0 {
		return err
	}
	tags := make([]string, 0, len(expected))
	for tag := range expected {
		tags = append(tags, tag)
	}
	why := notes.Torn
	if why != "" {
		why = "; " + why
	}
	return Unreadable(fmt.Errorf("%s: no histogram %q (%d missing)%s", path, slices.Min(tags), len(tags), why))
}

// histogramFields are start, length and largest value, before the code.
const histogramFields = 3

// readHistogramLines calls each with the tag and the encoded histogram of every
// line of a log. It is not the library's reader because that one knows no line
// numbers, takes a last line that is torn, and skips what it cannot read.
func readHistogramLines(path string, each func(tag string, code []byte) error) (ReadNotes, error) {
	f, err := open(path)
	if err != nil {
		return ReadNotes{}, err
	}
	defer f.Close()
	lines := newLineReader(path, f)
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return lines.notes, nil
		}
		if err != nil {
			return lines.notes, err
		}
		if len(line) == 0 || line[0] == '#' || line[0] == '"' {
			continue // comments, and the names of the columns
		}
		tag, rest := []byte(nil), line
		if tagged, ok := bytes.CutPrefix(line, []byte("Tag=")); ok {
			tag, rest, _ = bytes.Cut(tagged, []byte{','})
		}
		fields := bytes.SplitN(rest, []byte{','}, histogramFields+1)
		if len(fields) <= histogramFields {
			return lines.notes, lines.fault("histogram", line, "not a tag, start, length, maximum and histogram")
		}
		if err := each(string(tag), fields[histogramFields]); err != nil {
			return lines.notes, Unreadable(fmt.Errorf("%s:%d: %w", path, lines.line, err))
		}
	}
}
