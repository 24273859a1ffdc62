package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/cluster"
	"edgebench/monitor/doctor"
)

func newClusterDoctor() *cobra.Command {
	var (
		flags   clusterFlags
		repairs repairFlags
	)
	cmd := &cobra.Command{
		Use:   "doctor INVENTORY",
		Short: "say what about each node would spoil a run",
		Long: `doctor runs "loadgen doctor" on every node and shows its findings side by side: a
line a finding, with the nodes that have it. --fix and --restore set each node, by
sudo, and put it back (see "loadgen doctor --help").`,
		Example: `  loadgen cluster doctor inventory.yaml
  loadgen cluster doctor inventory.yaml --fix --skip smt
  loadgen cluster doctor inventory.yaml --restore`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := repairs.validate(); err != nil {
				return exitError{exitUsage, err}
			}
			c, err := flags.open(args[0])
			if err != nil {
				return err
			}
			defer c.Dialer.Close()
			var mu sync.Mutex
			found := map[string]cluster.Diagnosis{}
			outcomes, err := flags.each(cmd, c, nil, func(ctx context.Context, s *cluster.Session) (string, error) {
				d, err := cluster.Doctor(ctx, s, repairs.changes(), repairs.arguments()...)
				if err != nil {
					return "", err
				}
				mu.Lock()
				defer mu.Unlock()
				found[s.Node.Name] = d
				return repairs.outcome(d), nil
			})
			if flags.asJSON {
				if err := writeJSON(cmd.OutOrStdout(), nodeDiagnoses(outcomes, found)); err != nil {
					return err
				}
			} else {
				printFindings(cmd.OutOrStdout(), outcomes, found)
				if err := printOutcomes(cmd.OutOrStdout(), outcomes); err != nil {
					return err
				}
			}
			for _, d := range found {
				if err == nil && d.Level == doctor.Fail {
					return exitError{exitUsage, nil}
				}
			}
			return err
		},
	}
	flags.add(cmd, time.Minute)
	repairs.add(cmd.Flags())
	return cmd
}

// arguments are the flags as the node's own doctor takes them.
func (r *repairFlags) arguments() []string {
	var args []string
	for flag, set := range map[string]bool{"--fix": r.fix, "--restore": r.restore, "--dry-run": r.dryRun} {
		if set {
			args = append(args, flag)
		}
	}
	slices.Sort(args)
	for _, name := range r.only {
		args = append(args, "--only", name)
	}
	for _, name := range r.skip {
		args = append(args, "--skip", name)
	}
	return append(args, "--state", r.state)
}

// outcome is a node's diagnosis in a few words.
func (r *repairFlags) outcome(d cluster.Diagnosis) string {
	text := "worst finding: " + string(d.Level)
	switch n := len(d.Changes); {
	case r.dryRun:
		text = fmt.Sprintf("%d values would be set, %s", n, text)
	case r.fix:
		text = fmt.Sprintf("%d values set, %s", n, text)
	case r.restore:
		text = fmt.Sprintf("%d values put back, %s", n, text)
	}
	return text
}

// nodeDiagnosis is what --json prints of a node.
type nodeDiagnosis struct {
	cluster.Outcome
	cluster.Diagnosis
}

func nodeDiagnoses(outcomes []cluster.Outcome, found map[string]cluster.Diagnosis) []nodeDiagnosis {
	var all []nodeDiagnosis
	for _, o := range outcomes {
		all = append(all, nodeDiagnosis{o, found[o.Node]})
	}
	return all
}

// printFindings shows each finding once, with the nodes that have it: what differs
// between nodes of one kind is what matters most.
func printFindings(out io.Writer, outcomes []cluster.Outcome, found map[string]cluster.Diagnosis) {
	type key struct {
		level            doctor.Level
		name, text, help string
	}
	nodes := map[key][]string{}
	var order []key
	asked := 0
	for _, o := range outcomes {
		d, ok := found[o.Node]
		if !ok {
			continue
		}
		asked++
		for _, r := range doctor.AtLeast(d.Checks, doctor.Note) {
			k := key{r.Level, r.Name, r.Found, r.Fix}
			if nodes[k] == nil {
				order = append(order, k)
			}
			nodes[k] = append(nodes[k], o.Node)
		}
	}
	slices.SortStableFunc(order, func(a, b key) int { return doctor.Compare(b.level, a.level) })
	for _, k := range order {
		on := fmt.Sprintf("all %d", asked)
		if len(nodes[k]) < asked {
			on = strings.Join(nodes[k], ", ")
		}
		fmt.Fprintf(out, "%-4s  %-15s  %s   on %s\n", k.level, k.name, k.text, on)
		if k.help != "" {
			fmt.Fprintf(out, "%23s→ %s\n", "", k.help)
		}
	}
	if len(order) > 0 {
		fmt.Fprintln(out)
	}
}
