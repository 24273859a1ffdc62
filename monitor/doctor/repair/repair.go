// Package repair sets a host the way the doctor wants it for a measurement, and
// back. What was there before is on disk, synced, before anything is changed, so
// that whatever ends in between, --restore puts everything back exactly. It refuses
// to forget: a second repair adds to what the first recorded and replaces none of it.
package repair

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"edgebench/monitor/doctor"
)

// A Change is one value before and after. The first three fields name it.
type Change struct {
	Check  string      `json:"check"` // of the doctor that asked for it
	Kind   doctor.Kind `json:"kind"`
	Name   string      `json:"name"`
	Before *string     `json:"before"` // null: it was not there
	After  string      `json:"after"`
}

// String is the change in words.
func (c Change) String() string {
	return fmt.Sprintf("%s: %s → %s", c.where(), c.before(), c.shown())
}

// Back is its undoing in words.
func (c Change) Back() string { return fmt.Sprintf("%s: back to %s", c.where(), c.before()) }

func (c Change) before() string {
	if c.Before == nil {
		return "nothing"
	}
	return *c.Before
}

func (c Change) where() string {
	switch c.Kind {
	case doctor.Swap:
		return "swap " + c.Name
	case doctor.Unit:
		return c.Name
	}
	return "/" + c.Name
}

// shown is what it becomes, on one line.
func (c Change) shown() string {
	if c.Kind == doctor.NewFile {
		return fmt.Sprintf("%q, for logins from now on", c.After)
	}
	return c.After
}

func (c Change) same(d Change) bool { return c.Kind == d.Kind && c.Name == d.Name }

// Plan is what would be changed of a host for checks that found something, in the
// doctor's order, those aside that are not chosen (nil chooses all). What is right
// already, or is not there, is left out. Checks that found something nobody can
// repair are named in beyond.
func Plan(h Host, results []doctor.Result, chosen func(check string) bool) (plan []Change, beyond []string, err error) {
	settings := map[string][]doctor.Setting{}
	for _, c := range doctor.Checks() {
		settings[c.Name] = c.Repair
	}
	for _, r := range doctor.AtLeast(results, doctor.Note) {
		if chosen != nil && !chosen(r.Name) {
			continue
		}
		changes, err := h.plan(r.Name, settings[r.Name])
		if err != nil {
			return nil, nil, err
		}
		if len(changes) == 0 {
			beyond = append(beyond, r.Name)
		}
		plan = append(plan, changes...)
	}
	return plan, beyond, nil
}

func (h Host) plan(check string, settings []doctor.Setting) ([]Change, error) {
	var plan []Change
	for _, s := range settings {
		values, err := h.values(s)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			before, err := v.read()
			if err != nil {
				return nil, err
			}
			if before != nil && *before == v.want {
				continue
			}
			plan = append(plan, Change{Check: check, Kind: s.Kind, Name: v.name, Before: before, After: v.want})
		}
	}
	return plan, nil
}

// Fix records what is there in the state file and then makes the changes; tell
// hears of each. One that fails stops no other: what failed is in the error.
func Fix(h Host, file StateFile, plan []Change, now time.Time, tell func(Change, error)) error {
	release, err := file.lock()
	if err != nil {
		return err
	}
	defer release()
	state, err := file.load()
	if err != nil {
		return err
	}
	if err := file.save(state.with(plan, h.bootID(), now)); err != nil {
		return err
	}
	var faults []error
	for _, c := range plan {
		err := h.set(c, &c.After)
		tell(c, err)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// Restore puts back what Fix recorded, the last change first, and removes the state
// file. What cannot be put back stays recorded.
func Restore(h Host, file StateFile, tell func(Change, error)) error {
	release, err := file.lock()
	if err != nil {
		return err
	}
	defer release()
	state, err := file.load()
	if err != nil {
		return err
	}
	if len(state.Changes) == 0 {
		return fmt.Errorf("%s: %w", file, ErrNothing)
	}
	var faults []error
	left := state
	left.Changes = nil
	for _, c := range slices.Backward(state.Changes) {
		err := h.set(c, c.Before)
		tell(c, err)
		if err != nil {
			faults = append(faults, err)
			left.Changes = append(left.Changes, c)
		}
	}
	slices.Reverse(left.Changes)
	if len(left.Changes) > 0 {
		return errors.Join(append(faults, file.save(left))...)
	}
	return file.remove()
}

// ErrNothing is about a state file that is not there: nothing was changed.
var ErrNothing = errors.New("nothing is recorded there, so there is nothing to put back")
