package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"edgebench/analysis"
)

// A Status counts the trials of a batch.
type Status struct {
	Trials   int `json:"trials"`
	Planned  int `json:"planned"`
	Claimed  int `json:"claimed"`
	Done     int `json:"done"`
	Failed   int `json:"failed"`
	Invalid  int `json:"invalid"` // of Done
	Retried  int `json:"retried"` // trials that took more than one attempt
	Attempts int `json:"attempts"`

	// Left is how long the trials take that are not over, shared by the workers
	// there are: by the plan at first, then as trials really take.
	Left time.Duration `json:"left_ns"`

	Running []string `json:"running,omitempty"` // ids of the trials that are claimed
	Lost    []string `json:"lost,omitempty"`    // ids of those that failed

	Phase   Phase    `json:"phase,omitempty"` // "" without a coordinator
	Workers []Member `json:"workers,omitempty"`
}

// Status of the batch as far as the coordinator has heard.
func (c *Coordinator) Status() Status {
	s := StatusOf(c.Plan, c.entries)
	s.Phase, s.Workers = c.phase, c.roster.list()
	s.Left = c.pace.left(s.Left, c.roster.able())
	return s
}

// StatusOf counts the entries of a plan.
func StatusOf(p *Plan, entries map[string]Entry) Status {
	s := Status{Trials: len(p.Trials)}
	for _, t := range p.Trials {
		e := entries[t.ID]
		s.Attempts += e.Attempt
		if e.Attempt > 1 {
			s.Retried++
		}
		switch e.State {
		case Done:
			s.Done++
			if e.Verdict == string(analysis.Invalid) || e.Verdict == string(analysis.Partial) {
				s.Invalid++
			}
		case Failed:
			s.Failed++
			s.Lost = append(s.Lost, t.ID)
		case Claimed:
			s.Claimed++
			s.Running = append(s.Running, t.ID)
			s.Left += t.Length
		default:
			s.Planned++
			s.Left += t.Length + p.Batch.Cooldown
		}
	}
	return s
}

// Able counts the workers that may take trials.
func (s Status) Able() int {
	n := 0
	for _, m := range s.Workers {
		if m.Quarantine == "" {
			n++
		}
	}
	return n
}

// Complete reports whether every trial has a result.
func (s Status) Complete() bool { return s.Done == s.Trials }

// Sound reports whether the batch may be used: complete, and with no more invalid
// trials than share of all.
func (s Status) Sound(share float64) bool {
	return s.Complete() && float64(s.Invalid) <= share*float64(s.Trials)
}

// statusFile holds what the coordinator knew last, for those who look in from
// outside.
const statusFile = "status.json"

// Tell writes the status for others to read, whole or not at all.
func (f Folder) Tell(s Status) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(f.dir, statusFile)
	if err := os.WriteFile(path+".new", append(data, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Status counts the committed results, each read and summed anew, and takes what
// only a coordinator knows (failed, running, workers) from its last word.
func (f Folder) Status(p *Plan) (Status, error) {
	entries := map[string]Entry{}
	for _, t := range p.Trials {
		r, err := f.Results().Read(t.ID)
		switch {
		case err == nil:
			entries[t.ID] = Entry{Record: Record{State: Done, Attempt: r.Attempt, Verdict: r.Verdict}}
		case !errors.Is(err, fs.ErrNotExist):
			return Status{}, fmt.Errorf("%s: a committed result is damaged, resume makes it again: %w", f.dir, err)
		}
	}
	return f.complete(StatusOf(p, entries))
}

// complete adds to what committed results tell what only a coordinator knows.
func (f Folder) complete(s Status) (Status, error) {
	var last Status
	data, err := os.ReadFile(filepath.Join(f.dir, statusFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &last)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", filepath.Join(f.dir, statusFile), err)
	}
	s.Failed = min(last.Failed, s.Planned)
	s.Planned -= s.Failed
	s.Lost = last.Lost
	busy, err := f.Busy()
	if !busy || err != nil {
		return s, err
	}
	s.Claimed = min(last.Claimed, s.Planned)
	s.Planned -= s.Claimed
	s.Left, s.Phase, s.Workers, s.Running = last.Left, last.Phase, last.Workers, last.Running
	return s, nil
}
