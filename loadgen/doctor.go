package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"edgebench/loadgen/experiment"
	"edgebench/monitor/doctor"
	"edgebench/profiles"
)

// doctorFlags are what the command line says of one examination.
type doctorFlags struct {
	url, out string
	sets     []string
	asJSON   bool
	repairFlags
}

func newDoctor() *cobra.Command {
	var flags doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor [PROFILE]",
		Short: "say what about this host, or a target, would spoil a run",
		Long: `doctor checks what a measurement depends on: limits, clock, CPU frequency, memory,
other work, disk. With a PROFILE it knows how many connections and how much disk
a run will need; with a target of somebody else's it takes one look at what
answers there (one connection, at most one request, OPTIONS *).

The same checks run before every run, which warns and goes on, and keeps them in
the run's manifest.

Nothing on the host is changed but by --fix, as root: it sets what the checks ask
for, when the values before are on disk; --restore puts them back, also after a
crash. --dry-run shows both without doing them. What --fix sets lasts until the next
boot, but for the limit on open files, which is a file in /etc/security/limits.d.

Exit: 0 nothing fails (warnings do not count), 2 a check fails: the run could not
do what the profile asks, 3 the target is unreachable or speaks another protocol, 1 a
value could not be set.`,
		Example: `  loadgen doctor
  loadgen doctor bursty-ramp.yaml --out /data/runs
  loadgen doctor --url http://127.0.0.1:8080/ --json
  loadgen doctor --fix --dry-run
  sudo loadgen doctor --fix --skip smt
  sudo loadgen doctor --restore`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.validate(); err != nil {
				return exitError{exitUsage, err}
			}
			p, err := flags.profile(args)
			if err != nil {
				return err
			}
			return flags.run(cmd, p)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.url, "url", "", "target to look at")
	f.StringVar(&flags.out, "out", "runs", "folder that runs would be written to")
	f.StringArrayVar(&flags.sets, "set", nil, "override a profile key (repeatable)")
	f.BoolVar(&flags.asJSON, "json", false, "print the results as JSON")
	flags.add(f)
	return cmd
}

// profile is what to examine for; nil for the host alone.
func (d *doctorFlags) profile(args []string) (*profiles.Profile, error) {
	sets := d.sets
	if len(args) == 1 {
		if d.url != "" {
			sets = append([]string{fmt.Sprintf("target.url=%q", d.url)}, sets...)
		}
		return loadProfile(args[0], sets)
	}
	if d.url == "" {
		if len(sets) > 0 {
			return nil, exitError{exitUsage, errors.New("--set changes a profile: want a PROFILE or --url")}
		}
		return nil, nil
	}
	parsed, err := parseSets(sets)
	if err != nil {
		return nil, err
	}
	return profiles.OneLiner(d.url, "1/s", "1s", parsed) // what is asked of the host is not known
}

// diagnosis is what --json prints.
type diagnosis struct {
	Level  doctor.Level    `json:"level"` // the worst of the checks
	Checks []doctor.Result `json:"checks"`
	// Changes are what was set, or would be; nil when nobody asked.
	Changes []changed `json:"changes,omitempty"`
}

func (d *doctorFlags) run(cmd *cobra.Command, p *profiles.Profile) error {
	results, err := experiment.Examine(cmd.Context(), p, d.out)
	if err != nil {
		return err
	}
	changes, failed, err := d.repair(cmd, results)
	if err != nil {
		return err
	}
	if len(changes) > 0 && !d.dryRun {
		if results, err = experiment.Examine(cmd.Context(), p, d.out); err != nil {
			return err
		}
	}
	var unreachable error
	if p != nil && p.Target.Bundled == nil {
		unreachable = experiment.Preflight(cmd.Context(), p)
		if unreachable != nil && !errors.Is(unreachable, experiment.ErrUnreachable) {
			return unreachable
		}
		results = append(results, targetResult(unreachable))
	}
	found := diagnosis{doctor.Worst(results), results, changes}
	out := cmd.OutOrStdout()
	if d.asJSON {
		err = writeJSON(out, found)
	} else {
		err = found.print(out)
	}
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case unreachable != nil:
		return exitError{exitUnreachable, nil}
	case found.Level == doctor.Fail:
		return exitError{exitUsage, nil}
	}
	return nil
}

func targetResult(err error) doctor.Result {
	r := doctor.Result{Name: "target", Level: doctor.OK, Found: "answers, and nothing speaks against it", Why: "requests to a port that speaks something else all fail"}
	if err != nil {
		r.Level, r.Found, r.Fix = doctor.Fail, err.Error(), "start the target, or correct the url"
	}
	return r
}

// print shows all checks, and beneath those that found something what it means
// and what to do.
func (d diagnosis) print(out io.Writer) error {
	width := 0
	for _, r := range d.Checks {
		width = max(width, len(r.Name))
	}
	var b strings.Builder
	for _, r := range d.Checks {
		fmt.Fprintf(&b, "%-4s  %-*s  %s\n", r.Level, width, r.Name, r.Found)
		if r.Level == doctor.OK {
			continue
		}
		fmt.Fprintf(&b, "%*s%s\n", width+8, "", r.Why)
		if r.Fix != "" {
			fmt.Fprintf(&b, "%*s→ %s\n", width+8, "", r.Fix)
		}
	}
	counts := map[doctor.Level]int{}
	for _, r := range d.Checks {
		counts[r.Level]++
	}
	fmt.Fprintf(&b, "\n%d ok, %d notes, %d warnings, %d failed\n", counts[doctor.OK], counts[doctor.Note], counts[doctor.Warn], counts[doctor.Fail])
	_, err := io.WriteString(out, b.String())
	return err
}
