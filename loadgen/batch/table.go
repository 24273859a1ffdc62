package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A Table follows what becomes of each trial of a folder, from outside or beside
// its coordinator. It believes what results say of themselves, reads each once,
// and does not sum their files: looking costs little, so it may be done often.
type Table struct {
	folder Folder
	plan   *Plan
	done   map[string]Entry
}

// A Row is one trial as far as it is known.
type Row struct {
	Trial
	State   State
	Verdict string // of Done
	Attempt int    // of Done
}

// NewTable follows a folder that has that plan.
func NewTable(f Folder, p *Plan) *Table { return &Table{f, p, map[string]Entry{}} }

// Look returns every trial, in the order in which they are handed out, and the
// counts of them.
func (t *Table) Look() ([]Row, Status, error) {
	for _, trial := range t.plan.Trials {
		if _, known := t.done[trial.ID]; known {
			continue
		}
		r, err := t.folder.Results().tell(trial.ID)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, Status{}, err
		}
		t.done[trial.ID] = Entry{Record: Record{State: Done, Attempt: r.Attempt, Verdict: r.Verdict}}
	}
	status, err := t.folder.complete(StatusOf(t.plan, t.done))
	rows := make([]Row, len(t.plan.Trials))
	for i, trial := range t.plan.Trials {
		e := t.done[trial.ID]
		rows[i] = Row{Trial: trial, State: e.State, Verdict: e.Verdict, Attempt: e.Attempt}
		switch {
		case e.State == Done:
		case slices.Contains(status.Running, trial.ID):
			rows[i].State = Claimed
		case slices.Contains(status.Lost, trial.ID):
			rows[i].State = Failed
		default:
			rows[i].State = Planned
		}
	}
	return rows, status, err
}

// tell reads what a committed result says of itself.
func (r Results) tell(trial string) (Result, error) {
	path := filepath.Join(r.path(trial), resultManifest)
	data, err := os.ReadFile(path)
	if err != nil {
		return Result{}, err
	}
	var result Result
	if err := json.Unmarshal(data, &result); err != nil {
		return Result{}, fmt.Errorf("%s: %w", path, err)
	}
	return result, nil
}
