package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"edgebench/loadgen/batch"
)

// coordinatorFlags are those of `loadgen coordinator`.
type coordinatorFlags struct {
	batchFlags
	listen, nats string
	tokenFile    string
	cert, key    string
	ca           string
	timing       batch.Timing
}

func newCoordinator() *cobra.Command {
	var flags coordinatorFlags
	cmd := &cobra.Command{
		Use:   "coordinator FILE|DIR",
		Short: "make a batch with workers on several machines: hand trials out, commit each result once",
		Long: `coordinator plans a batch, or goes on with the one in a folder, and hands its trials
to the workers that join (loadgen worker). Results are committed here, each once.
Kill it whenever you like, and start it again with the same command: workers wait
for it, and bring what they have made meanwhile.

The first Ctrl-C begins no more trials and waits for those in progress, the second
gives them up. Off loopback a token or TLS is wanted.

Exit: 0 every trial has a result, 13 some have none, or too many are invalid.`,
		Example: `  loadgen coordinator overnight.yaml --out night --listen 0.0.0.0:4222 --token-file token
  loadgen coordinator night --listen 0.0.0.0:4222 --token-file token      go on with it
  loadgen batch status night                                              what each worker does`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, p, release, err := flags.folder(args[0])
			if err != nil {
				return err
			}
			defer release()
			return flags.run(cmd, folder, p)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.out, "out", "", "folder of the batch (default: the batch's name)")
	f.StringVar(&flags.listen, "listen", "127.0.0.1:4222", "HOST:PORT where workers join; port 0: a free one")
	f.StringVar(&flags.nats, "nats", "", "nats://HOST:PORT of a server with JetStream to use in place of one of our own")
	f.StringVar(&flags.tokenFile, "token-file", "", "file with the token that workers have to know; made with a random one when it does not exist")
	f.StringVar(&flags.cert, "tls-cert", "", "certificate file of the server, PEM")
	f.StringVar(&flags.key, "tls-key", "", "key file of the certificate, PEM")
	f.StringVar(&flags.ca, "tls-ca", "", "authority that signed the certificate of --nats, PEM (default: the system's)")
	flags.add(cmd)
	// Leases of seconds are for tests: a busy machine would lose its trials by them.
	f.DurationVar(&flags.timing.Lease, "lease", batch.DefaultTiming.Lease, "")
	f.DurationVar(&flags.timing.Beat, "beat", batch.DefaultTiming.Beat, "")
	for _, name := range []string{"lease", "beat"} {
		if err := f.MarkHidden(name); err != nil {
			panic(err) // no such flag
		}
	}
	return cmd
}

// folder is the batch folder of a batch file, or the one named.
func (c *coordinatorFlags) folder(name string) (f batch.Folder, p *batch.Plan, release func(), err error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if c.out != "" {
			return f, nil, nil, exitError{exitUsage, fmt.Errorf("--out: %s is a batch folder already", name)}
		}
		return openFolder(name)
	}
	return c.newFolder(name)
}

func (c *coordinatorFlags) run(cmd *cobra.Command, folder batch.Folder, p *batch.Plan) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	served := batch.Served{Folder: folder, Plan: p, Program: batch.Program{Path: program}, Timing: c.timing, Mirror: c.mirror, MinFree: c.minFree << 20}
	if err := c.where(cmd, &served); err != nil {
		return exitError{exitUsage, err}
	}
	return c.play(cmd, folder, p, interruption{
		first:  "no more trials, waiting for those in progress (again: give them up)",
		second: "giving up the trials in progress; they are made again by: loadgen coordinator " + folder.Path(),
		page:   "No more trials begin; those in progress are waited for. Results are kept.",
	}, func(ctx context.Context, s session) (batch.Status, error) {
		served.Deadline, served.Notice, served.Progress, served.Drain = s.deadline, s.notice, s.progress, ctx.Done()
		served.Ready = func(at string) { fmt.Fprintf(s.notice, invitationNotice+"%s\n", c.invitation(at, p)) }
		// The first signal drains, the second cancels.
		cancelled, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		go func() {
			select {
			case <-s.abort:
				cancel()
			case <-cancelled.Done():
			}
		}()
		status, err := served.Run(cancelled)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			err = exitError{exitUsage, fmt.Errorf("--listen %s: %w: choose another port", c.listen, err)}
		case errors.Is(err, batch.ErrRefused):
			err = exitError{exitUsage, err}
		}
		return status, err
	})
}

// where says on which server the batch is to be found.
func (c *coordinatorFlags) where(cmd *cobra.Command, v *batch.Served) error {
	if (c.cert == "") != (c.key == "") {
		return errors.New("--tls-cert and --tls-key: one goes with the other")
	}
	if c.nats != "" {
		if c.cert != "" || cmd.Flags().Changed("listen") {
			return errors.New("--nats is somebody else's server: --listen, --tls-cert and --tls-key are its own matter")
		}
		token, err := readToken(c.tokenFile)
		v.Access = &batch.Access{URL: c.nats, Token: token, CA: c.ca, Batch: v.Plan.Name, Name: "coordinator"}
		return err
	}
	if c.ca != "" {
		return errors.New("--tls-ca goes with --nats")
	}
	l, err := batch.ParseListen(c.listen)
	if err != nil {
		return fmt.Errorf("--listen %w", err)
	}
	l.Cert, l.Key = c.cert, c.key
	if c.tokenFile != "" {
		made := false
		if l.Token, made, err = makeToken(c.tokenFile); err != nil {
			return err
		}
		if made {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: made with a random token; workers want a copy of it\n", c.tokenFile)
		}
	}
	if l.Open() {
		return fmt.Errorf("--listen %s is reached by other machines: say --token-file FILE, or --tls-cert and --tls-key", c.listen)
	}
	v.Listen = l
	return nil
}

// invitationNotice begins the line that says a coordinator listens; cluster start
// waits for it.
const invitationNotice = "workers join with: "

// invitation is the command line that joins.
func (c *coordinatorFlags) invitation(at string, p *batch.Plan) string {
	line := "loadgen worker --join "
	if c.nats != "" {
		line += c.nats + " --batch " + p.Name
	} else {
		line += reachable(at)
	}
	if c.tokenFile != "" {
		line += " --token-file " + c.tokenFile
	}
	if c.cert != "" {
		line += " --tls-ca FILE"
	}
	return line
}

// reachable is a URL with this machine's name in place of "every address".
func reachable(at string) string {
	u, err := url.Parse(at)
	if err != nil || u.Hostname() != "0.0.0.0" && u.Hostname() != "::" {
		return at
	}
	host, err := os.Hostname()
	if err != nil {
		return at
	}
	u.Host = host + ":" + u.Port()
	return u.String()
}
