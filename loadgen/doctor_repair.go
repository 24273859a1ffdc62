package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgebench/monitor/doctor"
	"edgebench/monitor/doctor/repair"
)

// repairFlags say what of the host is to be set, or put back.
type repairFlags struct {
	fix, restore, dryRun bool
	only, skip           []string
	state                string
}

func (r *repairFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&r.fix, "fix", false, "set what the checks ask for, as root, the values before kept in --state")
	f.BoolVar(&r.restore, "restore", false, "put back what --fix set")
	f.BoolVar(&r.dryRun, "dry-run", false, "with --fix: only show what would be set")
	f.StringArrayVar(&r.only, "only", nil, "with --fix: this check alone (repeatable)")
	f.StringArrayVar(&r.skip, "skip", nil, "with --fix: not this check (repeatable)")
	f.StringVar(&r.state, "state", string(repair.DefaultState), "file with the values before")
}

func (r *repairFlags) validate() error {
	var faults []error
	if r.fix && r.restore {
		faults = append(faults, errors.New("--fix and --restore: want one of them"))
	}
	if !r.fix && (r.dryRun || len(r.only)+len(r.skip) > 0) {
		faults = append(faults, errors.New("--dry-run, --only and --skip go with --fix"))
	}
	known := map[string]bool{}
	var repairable []string
	for _, c := range doctor.Checks() {
		known[c.Name] = true
		if len(c.Repair) > 0 {
			repairable = append(repairable, c.Name)
		}
	}
	for _, name := range slices.Concat(r.only, r.skip) {
		if !known[name] {
			faults = append(faults, fmt.Errorf("no check %q; those that can be fixed are %s", name, strings.Join(repairable, ", ")))
		}
	}
	return errors.Join(faults...)
}

// changes reports whether the host is to be set, which takes root.
func (r *repairFlags) changes() bool { return r.fix && !r.dryRun || r.restore }

func (r *repairFlags) chosen(check string) bool {
	return (len(r.only) == 0 || slices.Contains(r.only, check)) && !slices.Contains(r.skip, check)
}

// changed is a change and what became of it.
type changed struct {
	repair.Change
	Error string `json:"error,omitempty"`
}

// repair does what the flags ask for, and says so on stderr, line by line: what
// was being set when something hung is worth knowing. failed is about values that
// could not be set, err about everything else.
func (r *repairFlags) repair(cmd *cobra.Command, results []doctor.Result) (changes []changed, failed, err error) {
	out := cmd.ErrOrStderr()
	tell := func(verb string, words func(repair.Change) string) func(repair.Change, error) {
		return func(c repair.Change, err error) {
			done := changed{Change: c}
			if err != nil {
				done.Error = err.Error()
				fmt.Fprintf(out, "failed  %-15s  %v\n", c.Check, err)
			} else {
				fmt.Fprintf(out, "%s  %-15s  %s\n", verb, c.Check, words(c))
			}
			changes = append(changes, done)
		}
	}
	if r.changes() && os.Geteuid() != 0 {
		return nil, nil, exitError{exitUsage, errors.New("changing the host wants root: use sudo, or --fix --dry-run to see what would be set")}
	}
	host, file := repair.Host{}, repair.StateFile(r.state)
	switch {
	case r.restore:
		failed = repair.Restore(host, file, tell("undone", repair.Change.Back))
		switch {
		case errors.Is(failed, repair.ErrNothing): // done already, or never begun
			fmt.Fprintf(out, "%v\n\n", failed)
			return nil, nil, nil
		case failed == nil:
			fmt.Fprintf(out, "everything is as it was, %s is removed\n\n", file)
		}
	case r.fix:
		plan, beyond, err := repair.Plan(host, results, r.chosen)
		if err != nil {
			return nil, nil, err
		}
		if r.dryRun {
			for _, c := range plan {
				tell("would set", repair.Change.String)(c, nil)
			}
		} else if len(plan) > 0 {
			fmt.Fprintf(out, "the values before are in %s; sudo loadgen doctor --restore puts them back\n", file)
			failed = repair.Fix(host, file, plan, time.Now(), tell("set", repair.Change.String))
		}
		if len(plan) == 0 {
			fmt.Fprintln(out, "nothing to set")
		}
		if len(beyond) > 0 {
			fmt.Fprintf(out, "not for a program to change: %s\n", strings.Join(beyond, ", "))
		}
		fmt.Fprintln(out)
	}
	if len(changes) == 0 {
		return nil, nil, failed
	}
	if failed != nil {
		failed = exitError{exitInternal, nil} // each was told
	}
	return changes, failed, nil
}
