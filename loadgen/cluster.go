package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/cluster"
	"edgebench/loadgen/cluster/remote"
	"edgebench/profiles"
)

func newCluster() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "many machines at once over ssh: programs there, workers started, results back",
		Long: `cluster works on the machines of an inventory, all at the same time. It logs in by
the keys of the ssh agent, or by key files; it checks host keys against known_hosts
and never asks. Whatever it does may be repeated: what is done already is left alone.

Nothing has to be installed on a node but sshd with sftp and a POSIX shell; the login
shell may be any, tcsh too. sudo is used where it asks for no password.

Exit: 0 done on every node, 2 usage, inventory or a check of the doctor fails, 3 a node
was not reached, or what was asked for failed there.`,
		Example: `  loadgen cluster inventory manifest.xml --user alice
  loadgen cluster push inventory.yaml --accept-new
  loadgen cluster doctor inventory.yaml --fix
  loadgen cluster start inventory.yaml overnight.yaml
  loadgen cluster collect inventory.yaml --out night
  loadgen cluster stop inventory.yaml`,
	}
	cmd.AddCommand(newClusterInventory(), newClusterPush(), newClusterDoctor(), newClusterStart(), newClusterCollect(), newClusterStop())
	return cmd
}

// clusterFlags are what every command that logs in takes.
type clusterFlags struct {
	nodes         []string
	knownHosts    string
	acceptNew     bool
	timeout       time.Duration
	asJSON, quiet bool
}

func (f *clusterFlags) add(cmd *cobra.Command, timeout time.Duration) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.nodes, "node", nil, "only this node (repeatable)")
	flags.StringVar(&f.knownHosts, "known-hosts", "~/.ssh/known_hosts", "file of host keys")
	flags.BoolVar(&f.acceptNew, "accept-new", false, "add the keys of hosts never seen before; a changed key is refused all the same")
	flags.DurationVar(&f.timeout, "timeout", timeout, "for all that is done on one node; 0 for none")
	flags.BoolVar(&f.asJSON, "json", false, "print what came of it as JSON")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress lines")
}

// open reads the inventory and collects the keys. The caller closes the cluster's
// dialer.
func (f *clusterFlags) open(inventory string) (*cluster.Cluster, error) {
	inv, err := profiles.LoadInventory(inventory)
	if err != nil {
		return nil, exitError{exitUsage, err}
	}
	if err := cluster.Unknown(inv, f.nodes); err != nil {
		return nil, exitError{exitUsage, err}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, exitError{exitUsage, err}
	}
	d := &remote.Dialer{Hosts: &remote.KnownHosts{Path: underHome(f.knownHosts, home), AcceptNew: f.acceptNew}}
	if inv.Jump != "" {
		jump, err := remote.ParseAddress(inv.Jump, inv.User)
		if err != nil {
			return nil, exitError{exitUsage, fmt.Errorf("%s: jump: %w", inventory, err)}
		}
		d.Jump = &jump
	}
	if d.Keys, err = remote.LoadKeys(inv.Keys, os.Getenv("SSH_AUTH_SOCK"), home); err != nil {
		return nil, exitError{exitUsage, err}
	}
	return &cluster.Cluster{Inventory: inv, Dialer: d, Timeout: f.timeout}, nil
}

func underHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// each acts on the nodes chosen and prints what came of it.
func (f *clusterFlags) each(cmd *cobra.Command, c *cluster.Cluster, nodes []string, act func(context.Context, *cluster.Session) (string, error)) ([]cluster.Outcome, error) {
	if len(nodes) == 0 {
		nodes = f.chosen(c.Inventory)
	}
	stop := stopperSaying(cmd.Context(), cmd.ErrOrStderr(), "breaking off; the same command goes on from here", "")
	defer stop.close()
	lines := newBoard(cmd.ErrOrStderr(), f.quiet, nodes)
	c.Tell = lines.tell
	outcomes := c.Each(stop.ctx, nodes, act)
	lines.clear()
	if stop.ctx.Err() != nil && cmd.Context().Err() == nil {
		return outcomes, exitError{exitPartial, nil}
	}
	if slices.ContainsFunc(outcomes, func(o cluster.Outcome) bool { return o.Err != nil }) {
		return outcomes, exitError{exitUnreachable, nil}
	}
	return outcomes, nil
}

func (f *clusterFlags) chosen(inv *profiles.Inventory) []string {
	if len(f.nodes) > 0 {
		return f.nodes
	}
	var all []string
	for _, n := range inv.Nodes {
		all = append(all, n.Name)
	}
	return all
}

// show prints outcomes, failures last, where they are seen.
func (f *clusterFlags) show(cmd *cobra.Command, outcomes []cluster.Outcome) error {
	out := cmd.OutOrStdout()
	if f.asJSON {
		return writeJSON(out, outcomes)
	}
	return printOutcomes(out, outcomes)
}

// indent sets further lines of an error below its first.
func indent(text string, by int) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", by))
}

func printOutcomes(out io.Writer, outcomes []cluster.Outcome) error {
	width, failed := 0, 0
	for _, o := range outcomes {
		width = max(width, len(o.Node))
		if o.Err != nil {
			failed++
		}
	}
	for _, o := range outcomes {
		if o.Err == nil {
			fmt.Fprintf(out, "%-*s  %s\n", width, o.Node, o.Did)
		}
	}
	for _, o := range outcomes {
		if o.Err != nil {
			fmt.Fprintf(out, "%-*s  failed: %s\n", width, o.Node, indent(o.Text, width+2))
		}
	}
	_, err := fmt.Fprintf(out, "\n%d of %d nodes done\n", len(outcomes)-failed, len(outcomes))
	return err
}

// act is a whole command: the same on every node.
func (f *clusterFlags) act(cmd *cobra.Command, inventory string, act func(context.Context, *cluster.Session) (string, error)) error {
	c, err := f.open(inventory)
	if err != nil {
		return err
	}
	defer c.Dialer.Close()
	outcomes, err := f.each(cmd, c, nil, act)
	if shown := f.show(cmd, outcomes); shown != nil {
		return shown
	}
	return err
}

// Names of what start starts: of a log's folder, and of a unit.
const (
	workerJob      = "worker"
	coordinatorJob = "coordinator"
)

func newClusterPush() *cobra.Command {
	var (
		flags clusterFlags
		bin   string
	)
	cmd := &cobra.Command{
		Use:   "push INVENTORY",
		Short: "bring loadgen and target to every node",
		Long: `push looks what kind of machine a node is (uname -m) and which programs it has, and
brings what is missing or different, checked by sha256, in one step: whatever runs
there goes on with the old one. Programs for another kind than this machine's are
looked for in BIN/linux-amd64 and BIN/linux-arm64 ("make cross" builds both).`,
		Example: "  loadgen cluster push inventory.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if bin == "" {
				self, err := os.Executable()
				if err != nil {
					return err
				}
				bin = filepath.Dir(self)
			}
			return flags.act(cmd, args[0], func(ctx context.Context, s *cluster.Session) (string, error) { return cluster.Push(ctx, s, bin) })
		},
	}
	cmd.Flags().StringVar(&bin, "bin", "", "folder with the programs (default: where this one is)")
	flags.add(cmd, 10*time.Minute)
	return cmd
}

func newClusterCollect() *cobra.Command {
	var (
		flags clusterFlags
		out   string
	)
	cmd := &cobra.Command{
		Use:   "collect INVENTORY",
		Short: "fetch runs, batches and logs of every node",
		Long: `collect copies what is below runs/, batches/ and jobs/ of a node's folder to
OUT/<node>/, each file checked by sha256. What is here already is left alone and what
was half fetched goes on, so the same command may be repeated, also while a batch is
running: results appear there whole.`,
		Example: `  loadgen cluster collect inventory.yaml --out night
  loadgen batch report night/gen-0/batches/overnight`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.act(cmd, args[0], func(ctx context.Context, s *cluster.Session) (string, error) { return cluster.Collect(ctx, s, out) })
		},
	}
	cmd.Flags().StringVar(&out, "out", "collected", "folder to write to, one folder a node in it")
	flags.add(cmd, time.Hour)
	return cmd
}

func newClusterStop() *cobra.Command {
	var (
		flags clusterFlags
		grace time.Duration
	)
	cmd := &cobra.Command{
		Use:   "stop INVENTORY",
		Short: "end on every node what start started, and look whether anything is left",
		Long: `stop ends workers and the coordinator by what start recorded, their unit or their
session. A trial in progress is given up; the batch makes it again when it is started
again. A program of ours that was started by hand is named, and left alone.`,
		Example: "  loadgen cluster stop inventory.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if grace < 0 {
				return exitError{exitUsage, fmt.Errorf("--grace %v: want 0s or more", grace)}
			}
			return flags.act(cmd, args[0], func(ctx context.Context, s *cluster.Session) (string, error) {
				return cluster.Stop(ctx, s, grace, workerJob, coordinatorJob)
			})
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", 20*time.Second, "how long they may take to end in order before they are killed (a unit: 30 s)")
	flags.add(cmd, 2*time.Minute)
	return cmd
}
