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
		flags clusterFlags
	)
	cmd := &cobra.Command{
		Use:   "doctor INVENTORY",
		Short: "say what about each node would spoil a run",
		Long: `doctor runs "loadgen doctor" on every node and shows its findings side by side: a
line a finding, with the nodes that have it.`,
		Example: "  loadgen cluster doctor inventory.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := flags.open(args[0])
			if err != nil {
				return err
			}
			defer c.Dialer.Close()
			var mu sync.Mutex
			found := map[string]cluster.Diagnosis{}
			outcomes, err := flags.each(cmd, c, nil, func(ctx context.Context, s *cluster.Session) (string, error) {
				d, err := cluster.Doctor(ctx, s, false)
				if err != nil {
					return "", err
				}
				mu.Lock()
				defer mu.Unlock()
				found[s.Node.Name] = d
				return string(d.Level), nil
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
	return cmd
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
