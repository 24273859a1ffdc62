package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/batch"
	"edgebench/loadgen/cluster"
	"edgebench/profiles"
)

// startFlags are those of `loadgen cluster start`.
type startFlags struct {
	clusterFlags
	coordinator string
	port        int
	join, token string
	how         string
	roles       bool
	guard       guardFlags
}

func newClusterStart() *cobra.Command {
	var flags startFlags
	cmd := &cobra.Command{
		Use:   "start INVENTORY [BATCH.yaml]",
		Short: "start a batch: a coordinator on one node, a worker on each",
		Long: `start brings the plan of a batch to one node, starts its coordinator there, and a
worker on every node that joins it over the experiment's network. The token they share
is made on that node and kept in files that only their owner reads. A node whose role is
coordinator gets no worker. For a batch with generators, nodes of role generator and
target get workers of that role, the target's at its address of the inventory. Profiles go as they were resolved here; files they name
(bodies, traces) have to be on the nodes.

With --join the coordinator is elsewhere, on this machine for one, and only workers are
started; with --roles for a batch with generators.

Everything goes on when the login ends: as systemd units where sudo asks for no
password, else in sessions of their own. Repeat the command to bring back what died.`,
		Example: `  loadgen cluster start inventory.yaml overnight.yaml
  loadgen cluster start inventory.yaml --join nats://198.51.100.7:4222 --token-file token`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.coordinator, "coordinator", "", "node of the coordinator (default: the one of that role, else the first)")
	f.IntVar(&flags.port, "port", 4222, "where it listens, on its address of the experiment's network; 0: a free one")
	f.StringVar(&flags.join, "join", "", "nats://HOST:PORT of a coordinator that runs already")
	f.StringVar(&flags.token, "token-file", "", "file with the token of --join")
	f.BoolVar(&flags.roles, "roles", false, "with --join: its batch has generators, workers take the roles of their nodes")
	f.StringVar(&flags.how, "keep", string(cluster.Auto), "how they go on: systemd, setsid, or auto")
	flags.guard.add(f)
	flags.add(cmd, 5*time.Minute)
	return cmd
}

func (s *startFlags) validate(args []string) error {
	var faults []error
	switch {
	case s.join == "" && len(args) < 2:
		faults = append(faults, errors.New("want a batch file to start, or --join with the coordinator that has it"))
	case s.join != "" && len(args) == 2:
		faults = append(faults, fmt.Errorf("--join: its coordinator has a batch, %s would not be used", args[1]))
	}
	if s.join != "" && s.coordinator != "" {
		faults = append(faults, errors.New("--join and --coordinator: want one of them"))
	}
	if s.token != "" && s.join == "" {
		faults = append(faults, errors.New("--token-file goes with --join: without it a token is made"))
	}
	if s.roles && s.join == "" {
		faults = append(faults, errors.New("--roles goes with --join: a batch says itself whether it has generators"))
	}
	if s.port < 0 || s.port > 65535 {
		faults = append(faults, fmt.Errorf("--port %d: want 0 to 65535", s.port))
	}
	if ways := []string{string(cluster.Auto), string(cluster.Systemd), string(cluster.Setsid)}; !slices.Contains(ways, s.how) {
		faults = append(faults, fmt.Errorf("--keep %q: want one of %s", s.how, strings.Join(ways, ", ")))
	}
	if len(faults) > 0 {
		return exitError{exitUsage, errors.Join(faults...)}
	}
	return nil
}

func (s *startFlags) run(cmd *cobra.Command, args []string) error {
	if err := s.validate(args); err != nil {
		return err
	}
	c, err := s.open(args[0])
	if err != nil {
		return err
	}
	defer c.Dialer.Close()
	var night *prepared
	together := s.roles
	if s.join == "" {
		night = &prepared{}
		if night.plan, night.source, err = loadBatch(args[1]); err != nil {
			return err
		}
		if together = night.plan.Batch.Generators > 0; together {
			err = enough(c.Inventory, night.plan)
		}
	}
	posts, missing := posts(c.Inventory, together)
	if err = errors.Join(err, missing); err != nil {
		return exitError{exitUsage, err}
	}
	var token []byte
	if s.join != "" {
		if s.token != "" {
			if token, err = os.ReadFile(s.token); err != nil {
				return exitError{exitUsage, err}
			}
		}
	} else {
		at, err := s.coordinating(c.Inventory)
		if err != nil {
			return exitError{exitUsage, err}
		}
		if s.join, token, err = s.begin(cmd, c, at, night); err != nil {
			return err
		}
	}
	var workers []string
	for _, n := range c.Inventory.Nodes {
		if _, wanted := posts[n.Name]; wanted && slices.Contains(s.chosen(c.Inventory), n.Name) {
			workers = append(workers, n.Name)
		}
	}
	outcomes, err := s.each(cmd, c, workers, func(ctx context.Context, on *cluster.Session) (string, error) {
		job := cluster.Job{
			Name: workerJob, Ready: joinedNotice, How: cluster.How(s.how),
			Argv: []string{"./bin/loadgen", "worker", "--join", s.join, "--name", on.Node.Name, "--node", on.Node.Name, "--dir", "work"},
		}
		job.Argv = append(job.Argv, posts[on.Node.Name]...)
		if token != nil {
			if err := on.Put(ctx, token, tokenOnNode, 0o600); err != nil {
				return "", err
			}
			job.Argv = append(job.Argv, "--token-file", tokenOnNode)
		}
		return cluster.Start(ctx, on, job)
	})
	if shown := s.show(cmd, outcomes); shown != nil {
		return shown
	}
	return err
}

// tokenOnNode is the token's file in a node's folder.
const tokenOnNode = "token"

// coordinating is the node where the coordinator goes.
func (s *startFlags) coordinating(inv *profiles.Inventory) (profiles.InventoryNode, error) {
	at := 0
	for i, n := range inv.Nodes {
		if s.coordinator == "" && n.Role == profiles.RoleCoordinator || n.Name == s.coordinator {
			at = i
			break
		}
	}
	n := inv.Nodes[at]
	if s.coordinator != "" && n.Name != s.coordinator {
		return n, fmt.Errorf("--coordinator: %w", cluster.Unknown(inv, []string{s.coordinator}))
	}
	if n.Address == "" {
		return n, fmt.Errorf("%s has no address where workers could join: write it to the inventory, or choose another --coordinator", n.Name)
	}
	return n, nil
}

// prepared is a batch that is worked out, and not begun.
type prepared struct {
	plan   *batch.Plan
	source []byte // its file
}

// begin brings the batch to the coordinator's node, starts it there, and returns
// where workers join and the token that they want.
func (s *startFlags) begin(cmd *cobra.Command, c *cluster.Cluster, at profiles.InventoryNode, night *prepared) (join string, token []byte, err error) {
	plan := night.plan
	if err := s.guard.admitBatch(cmd, plan); err != nil {
		return "", nil, err
	}
	draft, err := os.MkdirTemp("", "loadgen-cluster-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(draft)
	if err := batch.NewFolder(draft).Save(plan, night.source); err != nil {
		return "", nil, err
	}
	folder := path.Join("batches", plan.Name)
	outcomes, err := s.each(cmd, c, []string{at.Name}, func(ctx context.Context, on *cluster.Session) (string, error) {
		if err := putBatch(ctx, on, draft, folder); err != nil {
			return "", err
		}
		did, err := cluster.Start(ctx, on, cluster.Job{
			Name: coordinatorJob, Ready: invitationNotice, How: cluster.How(s.how),
			Argv: []string{"./bin/loadgen", "coordinator", folder, "--listen", net.JoinHostPort(at.Address, strconv.Itoa(s.port)), "--token-file", tokenOnNode, "--yes"}, // asked about above
		})
		if err != nil {
			return "", err
		}
		log, err := on.Read(ctx, path.Join("jobs", coordinatorJob, "log"))
		if err != nil {
			return "", err
		}
		if join, err = joinURL(log); err != nil {
			return "", err
		}
		token, err = on.Read(ctx, tokenOnNode)
		return fmt.Sprintf("%s: %d trials of %s", did, len(plan.Trials), plan.Name), err
	})
	switch {
	case err != nil:
		return "", nil, errors.Join(s.show(cmd, outcomes), err)
	case !s.asJSON: // there it would be a second document
		fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n\n", at.Name, outcomes[0].Did)
	}
	return join, token, nil
}

// putBatch brings a batch folder, unless the node has it: results there belong to
// the plan that is there.
func putBatch(ctx context.Context, on *cluster.Session, draft, folder string) error {
	plan := "plan.json"
	ours, err := os.ReadFile(filepath.Join(draft, plan))
	if err != nil {
		return err
	}
	theirs, err := on.Read(ctx, path.Join(folder, plan))
	switch {
	case err == nil && bytes.Equal(ours, theirs):
		return nil
	case err == nil:
		return fmt.Errorf("%s there holds another plan of that name: give the batch another name, or collect that folder and remove it", path.Join(on.Folder, folder))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	// The plan comes last: a folder with a plan is complete.
	if err := os.Remove(filepath.Join(draft, plan)); err != nil {
		return err
	}
	if err := on.PutFolder(ctx, draft, folder); err != nil {
		return err
	}
	return on.Put(ctx, ours, path.Join(folder, plan), 0o600)
}

// joinURL is where a coordinator says in its log that it listens.
func joinURL(log []byte) (string, error) {
	for line := range strings.Lines(string(log)) {
		if _, command, ok := strings.Cut(line, invitationNotice); ok {
			fields := strings.Fields(command)
			if i := slices.Index(fields, "--join"); i >= 0 && i+1 < len(fields) {
				return fields[i+1], nil
			}
		}
	}
	return "", fmt.Errorf("the coordinator's log does not say where it listens: %.200q", log)
}
