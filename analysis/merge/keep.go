package merge

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"edgebench/analysis/rundir"
)

// ownFiles are what a part keeps to itself in the union: numbers of its host,
// which do not add up.
var ownFiles = [...]string{rundir.ManifestFile, rundir.MonitorFile, rundir.EventsFile, rundir.TimeseriesFile}

// keepOwn copies the files of each part, and those of the node's keeper to where
// a run with a node of its own has them.
func (p *plan) keepOwn(d *rundir.Draft, m *rundir.Manifest) error {
	all := p.parts
	if p.keeper != nil {
		all = append(all[:len(all):len(all)], p.keeper)
	}
	for i, part := range all {
		dir := filepath.Join(d.Path(), rundir.PartsDir, m.Parts[i].Name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for _, name := range ownFiles {
			data, err := os.ReadFile(filepath.Join(part.run.Dir, name))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = rundir.Replace(dir, name, data)
			}
			if err != nil {
				return err
			}
		}
	}
	if p.keeper == nil {
		return nil
	}
	return errors.Join(p.nodeMonitor(d), p.nodeEvents(d, m))
}

// nodeMonitor copies the samples of the node. What is said there of a generator
// is of the keeper, which generated nothing.
func (p *plan) nodeMonitor(d *rundir.Draft) error {
	data, err := os.ReadFile(filepath.Join(p.keeper.run.Dir, rundir.MonitorFile))
	if err != nil {
		return err
	}
	return rundir.ReplaceWith(d.Path(), rundir.MonitorFile, func(w io.Writer) error {
		var blank []bool
		for line := range bytes.Lines(data) {
			fields := strings.Split(strings.TrimSuffix(string(line), "\n"), ",")
			if blank == nil {
				for _, name := range fields {
					blank = append(blank, strings.HasPrefix(name, "generator_"))
				}
			} else {
				for i := range fields {
					if i < len(blank) && blank[i] {
						fields[i] = ""
					}
				}
			}
			if _, err := io.WriteString(w, strings.Join(fields, ",")+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

// nodeEvents writes the node's events and the edges of the phases.
func (p *plan) nodeEvents(d *rundir.Draft, m *rundir.Manifest) error {
	w, err := d.Events()
	if err != nil {
		return err
	}
	edges := m.Phases
	begin := func(until int64) error {
		for len(edges) > 0 && m.StartedUnixNS+edges[0].StartNS <= until {
			e := map[string]any{"unix_ns": m.StartedUnixNS + edges[0].StartNS, "event": "phase_start", "phase": edges[0].Name, "cycle": edges[0].Cycle}
			if err := w.WriteJSON(e); err != nil {
				return err
			}
			edges = edges[1:]
		}
		return nil
	}
	if _, err := rundir.ReadEvents(p.keeper.run.Dir, func(e *rundir.Event) error {
		if err := begin(e.UnixNS); err != nil {
			return err
		}
		return w.WriteLine(e.Raw)
	}); err != nil {
		return err
	}
	return begin(m.StartedUnixNS + m.DurationNS)
}
