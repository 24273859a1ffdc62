// Command target is a bare-metal FaaS worker node: an HTTP server that executes
// requests in worker processes whose number a scaling policy decides.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"

	"edgebench/target/fitter"
	"edgebench/target/node"
	"edgebench/target/worker"
)

// version is set by the linker.
var version = "dev"

// Exit codes, as loadgen's.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitInterrupted = 12
)

func main() {
	worker.Main() // never returns in a process started as a template or a worker
	fitter.Main() // nor in a fitter
	limitThreads(1)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// commands are what the program does besides being a node.
var commands = map[string]func(ctx context.Context, args []string, stdout, stderr io.Writer) int{
	"cold-start":     coldStart,
	"predictor-cost": predictorCost,
}

// run is main as a function of its surroundings.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && commands[args[0]] != nil {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer onSignals(cancel, stderr)()
		return commands[args[0]](ctx, args[1:], stdout, stderr)
	}
	s, faults := parse(args)
	switch {
	case s.help:
		fmt.Fprint(stdout, usage())
		return exitOK
	case s.version:
		fmt.Fprintf(stdout, "target %s\n", version)
		return exitOK
	}
	s.cfg.Version = version
	if err := errors.Join(append(faults, s.cfg.Validate())...); err != nil {
		fmt.Fprintf(stderr, "target: %v\nsee target --help\n", err)
		return exitUsage
	}
	limitThreads(s.cfg.Reactors)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer onSignals(cancel, stderr)()
	if s.attached {
		go func() {
			_, _ = io.Copy(io.Discard, stdin)
			cancel()
		}()
	}
	if err := serve(ctx, s.cfg, stdout, stderr); err != nil {
		if errors.Is(err, unix.EADDRINUSE) {
			err = fmt.Errorf("%w; choose another with --listen", err)
		}
		fmt.Fprintf(stderr, "target: %v\n", err)
		return failure(err)
	}
	return exitOK
}

// limitThreads gives each reactor a thread, and one to what starts and ends
// processes: more only add threads to the node's memory. The collector keeps its
// default pace: the live heap is below a few MB.
func limitThreads(reactors int) {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(reactors + 1)
	}
}

// failure is the exit code of an error: what the machine lacks, or has given to
// somebody else, is a matter of how the command is used.
func failure(err error) int {
	if errors.Is(err, worker.ErrMissing) || errors.Is(err, fitter.ErrMissing) || errors.Is(err, unix.EADDRINUSE) {
		return exitUsage
	}
	return exitInternal
}

// serve runs a node until ctx ends.
func serve(ctx context.Context, cfg node.Config, stdout, stderr io.Writer) error {
	n, err := node.Open(cfg)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "target %s: http://%s, policy %s, runtime %s, work %s\n", version, n.Addr(), cfg.Policy, cfg.Runtime, cfg.Work)
	if about := n.About(); about != "" {
		fmt.Fprintf(stderr, "target: runtime %s: %s\n", cfg.Runtime, about)
	}
	for _, fact := range n.Facts() {
		fmt.Fprintf(stderr, "target: %s: %s\n", cfg.Policy, fact)
	}
	if d := cfg.Pool.StartDelay; d > 0 {
		fmt.Fprintf(stderr, "target: start delay of %v is simulated, on top of the real start\n", d)
	}
	if cpus := runtime.NumCPU(); cfg.Reactors > cpus {
		fmt.Fprintf(stderr, "target: warning: %d reactors on %d processors: no more than these run at once\n", cfg.Reactors, cpus)
	}
	stopped := make(chan struct{})
	told := make(chan struct{})
	go func() {
		defer close(told)
		select {
		case <-n.Ready():
			_, _ = stdout.Write(n.ReadyLine())
		case <-stopped:
		}
	}()
	err = n.Run(ctx)
	close(stopped)
	<-told
	return err
}

// onSignals drains at the first signal and exits at the second. The returned
// function ends listening.
func onSignals(drain func(), stderr io.Writer) (stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	go func() {
		first, ok := <-signals
		if !ok {
			return
		}
		fmt.Fprintf(stderr, "target: %v: finishing what is in flight; again to exit at once\n", first)
		drain()
		if _, ok := <-signals; ok {
			os.Exit(exitInternal) // the workers die with their parent
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}
