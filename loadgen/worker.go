package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/batch"
)

// workerFlags are those of `loadgen worker`.
type workerFlags struct {
	access    batch.Access
	tokenFile string
	name      string
	node      string
	role      string
	address   string
	scratch   string
	patience  time.Duration
	stay      bool
	minFree   int64 // MB
	quiet     bool
}

func newWorker() *cobra.Command {
	var flags workerFlags
	cmd := &cobra.Command{
		Use:   "worker --join URL",
		Short: "make trials for a coordinator, one after the other",
		Long: `worker joins the batch of a coordinator, makes one trial after the other, and hands
the results over. It ends when the batch is over. It may be started before its
coordinator, and waits for one that is away; what it made meanwhile is not lost.

Ctrl-C ends the trial in progress and gives it back: another worker makes it.`,
		Example: `  loadgen worker --join nats://node0:4222 --token-file token
  loadgen worker --join tls://node0:4222 --tls-ca ca.pem --stay`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.access.URL, "join", "", "nats://HOST:PORT of the coordinator, tls:// to insist on TLS")
	f.StringVar(&flags.tokenFile, "token-file", "", "file with the coordinator's token")
	f.StringVar(&flags.access.CA, "tls-ca", "", "authority that signed the coordinator's certificate, PEM (default: the system's)")
	f.StringVar(&flags.access.Batch, "batch", "", "name of the batch, on a server that the coordinator shares (its --nats)")
	f.StringVar(&flags.name, "name", "", "name of this worker, unique in the batch (default: the host's)")
	f.StringVar(&flags.node, "node", "", "machine whose target it drives; workers of one node take turns (default: the host's name)")
	f.StringVar(&flags.role, "role", "both", "in a batch whose trials several workers make together: generator sends a share, target keeps the node; both makes trials alone")
	f.StringVar(&flags.address, "address", "", "of a target: HOST or HOST:PORT where generators reach its node (default: the host's name)")
	f.StringVar(&flags.scratch, "dir", "", "folder for trials in progress (default: one of this worker's name where temporary files go)")
	f.DurationVar(&flags.patience, "patience", 10*time.Minute, "how long to wait for a coordinator that does not answer")
	f.BoolVar(&flags.stay, "stay", false, "when the batch is over, wait for another one")
	f.Int64Var(&flags.minFree, "min-free", batch.DefaultMinFree>>20, "MB free on the disk of --dir, below which no trial begins")
	f.BoolVar(&flags.quiet, "quiet", false, "no notices")
	return cmd
}

// joinedNotice begins the line that says a worker is in; cluster start waits for it.
const joinedNotice = "joined "

// namePattern is what the store takes as a key.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)

func (w *workerFlags) validate() error {
	var faults []error
	if w.access.URL == "" {
		faults = append(faults, errors.New("--join nats://HOST:PORT is wanted: where the coordinator listens"))
	}
	if w.patience <= 0 {
		faults = append(faults, fmt.Errorf("--patience %v: want more than 0", w.patience))
	}
	switch w.role {
	case "both", batch.RoleGenerator, batch.RoleTarget:
	default:
		faults = append(faults, fmt.Errorf("--role %q: want generator, target or both", w.role))
	}
	if w.address != "" && w.role != batch.RoleTarget {
		faults = append(faults, errors.New("--address is where a target's node listens: it goes with --role target"))
	}
	for flag, text := range map[string]string{"--name": w.name, "--node": w.node} {
		if !namePattern.MatchString(text) {
			faults = append(faults, fmt.Errorf("%s %q: want letters, digits, '.', '_' and '-'", flag, text))
		}
	}
	return errors.Join(faults...)
}

func (w *workerFlags) defaults() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	if w.node == "" {
		w.node = host
	}
	if w.name == "" {
		w.name = host
	}
	if w.address == "" && w.role == batch.RoleTarget {
		w.address = host
	}
	if w.scratch == "" {
		w.scratch = filepath.Join(os.TempDir(), "loadgen-worker-"+w.name)
	}
	w.access.Name = w.name
	return nil
}

func (w *workerFlags) run(cmd *cobra.Command) (err error) {
	if err := w.defaults(); err != nil {
		return err
	}
	if err := w.validate(); err != nil {
		return exitError{exitUsage, err}
	}
	if w.access.Token, err = readToken(w.tokenFile); err != nil {
		return exitError{exitUsage, err}
	}
	if w.role == batch.RoleTarget {
		if err := listenable(w.address); err != nil {
			return exitError{exitUsage, err}
		}
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	notice := cmd.ErrOrStderr()
	if w.quiet {
		notice = io.Discard
	}
	// The folder is the worker's alone, and with it what an earlier life left there.
	desk, err := batch.OwnDesk(w.scratch)
	if err != nil {
		return exitError{exitUsage, fmt.Errorf("%w: choose another --name, or --dir", err)}
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	stop := stopperSaying(cmd.Context(), notice, "the trial in progress ends and is given back", "")
	defer stop.close()
	store, err := batch.DialPatiently(stop.ctx, w.access, w.patience, func(err error) {
		fmt.Fprintf(notice, "%v: waiting for it, up to %v\n", err, w.patience)
	})
	if err != nil {
		return w.coded(stop.ctx, err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	mark, err := filepath.Abs(desk.Attempts())
	if err != nil {
		return err
	}
	joined := func() { fmt.Fprintf(notice, joinedNotice+"%s as %s\n", w.access.URL, w.name) }
	runner := batch.Program{Path: program, Mark: mark}
	if w.role != "both" {
		part := &batch.Part{
			Name: w.name, Role: w.role, Address: w.address, Version: version, Scratch: desk.Attempts(), Program: runner,
			Notice: notice, Joined: joined, Patience: w.patience, Stay: w.stay,
		}
		return w.coded(stop.ctx, part.Work(stop.ctx, store))
	}
	worker := &batch.Worker{
		Name: w.name, Node: w.node, Version: version, Scratch: desk.Attempts(), Runner: runner, Clear: runner.Clear, MinFree: w.minFree << 20,
		Notice: notice, Joined: joined, Patience: w.patience, Stay: w.stay,
	}
	if err := worker.Join(store); err != nil {
		return err
	}
	return w.coded(stop.ctx, worker.Work(stop.ctx))
}

// listenable reports an address where no node of this machine can listen: better now
// than at each trial.
func listenable(address string) error {
	host := address
	if h, _, err := net.SplitHostPort(address); err == nil {
		host = h
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return fmt.Errorf("--address %s: %w: want one of this machine's, on the network of the generators", address, err)
	}
	return l.Close()
}

// coded gives an error the exit code it stands for.
func (w *workerFlags) coded(ctx context.Context, err error) error {
	switch {
	case err == nil, ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil
	case errors.Is(err, batch.ErrRefused):
		return exitError{exitUsage, err}
	}
	return exitError{exitUnreachable, err}
}
