// Command loadgen replays bursty workloads open loop against a FaaS endpoint,
// measures it, and keeps what it saw in a run directory.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgebench/analysis/plain"
	"edgebench/analysis/qpn/net"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/experiment"
	"edgebench/profiles"
)

// version is set by the linker (see Makefile).
var version = "unknown"

// Exit codes, as scripts rely on them (DESIGN.md).
const (
	exitOK               = 0
	exitInternal         = 1
	exitUsage            = 2
	exitUnreachable      = 3
	exitThresholdsFailed = 10
	exitInvalid          = 11
	exitPartial          = 12
	exitIncomplete       = 13
)

// An exitError carries the code of an outcome that has been told already.
type exitError struct {
	code int
	err  error // nil when the output said everything
}

func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

func main() {
	os.Exit(execute(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	warnOfVariables(root, os.Environ(), stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitInternal // nobody reads the output any more, nor would a message be
	}
	var told exitError
	if errors.As(err, &told) && told.err == nil {
		return told.code
	}
	fmt.Fprintf(stderr, "loadgen: %s\n", plain.Text(err.Error())) // it may repeat what a target said
	return exitCode(err)
}

func exitCode(err error) int {
	var (
		coded  exitError
		faults profiles.Faults
	)
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &faults), errors.Is(err, experiment.ErrUsage), errors.Is(err, rundir.ErrNotARun), errors.Is(err, rundir.ErrUnreadable), isNetFault(err):
		return exitUsage
	case errors.Is(err, experiment.ErrUnreachable):
		return exitUnreachable
	}
	return exitInternal
}

// ours marks an error about a run directory that this program has just written:
// what is unreadable there is nobody else's fault.
func ours(err error) error {
	if errors.Is(err, rundir.ErrUnreadable) {
		return exitError{exitInternal, err}
	}
	return err
}

// isNetFault reports whether a net was described that cannot go on: its author's
// to mend, not the program's.
func isNetFault(err error) bool {
	_, deadlock := errors.AsType[*net.Deadlock](err)
	_, loop := errors.AsType[*net.Loop](err)
	return deadlock || loop
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "loadgen",
		Short: "open-loop load generator and benchmark harness for serverless platforms",
		Long: `loadgen replays bursty workloads open loop against the bundled worker node or any
HTTP endpoint, samples memory and CPU on the same clock, and keeps every request
in a run directory with a report.

Every flag may be given as a variable, --max-requests as LOADGEN_MAX_REQUESTS, a
repeated one with a value a line. The command line wins over the variable, the
variable over the profile; loadgen run PROFILE --print-config shows what came from where.`,
		Example: `  loadgen run bursty-ramp.yaml                     the main job, about 5 minutes
  loadgen run bursty-ramp-quick.yaml               the same shape in 20 seconds
  loadgen run --url http://127.0.0.1:8080/ --rate 200/s --duration 10s
  loadgen plan h2.yaml                             what would be sent, without sending`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRun(), newInit(), newConvert(), newCheck(), newPlan(), newProbe(), newList(), newSchema(), newDoctor(),
		newReport(), newStudy(), newCompare(), newPareto(), newCalibrate(), newMerge(), newExport(),
		newLive(), newSim(), newPredict(), newQPN(), newBatch(), newCoordinator(), newWorker(), newCluster(),
		newNode(), newMan(), newVersion(),
	)
	group(root)
	for _, cmd := range root.Commands() {
		prepare(cmd)
	}
	offer(root)
	return root
}

// group has a command that only holds others tell a name that none of them has.
func group(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
}

// flagError is a usage error, with the flag that was meant.
func flagError(cmd *cobra.Command, err error) error {
	hint := "see " + cmd.CommandPath() + " --help"
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := profiles.Nearest(missing.GetSpecifiedName(), known); near != "" {
			hint = "did you mean --" + near + "?"
		}
	}
	return exitError{exitUsage, fmt.Errorf("%w (%s)", err, hint)}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	hint := "see " + cmd.CommandPath() + " --help"
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return exitError{exitUsage, fmt.Errorf("unknown command %q, %s", name, hint)}
}

// prepare has a command look at the environment before its arguments, which may
// depend on flags, and gives argument errors the exit code of a usage error.
func prepare(cmd *cobra.Command) {
	if cmd.RunE == nil {
		group(cmd)
	}
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := bindEnvironment(cmd); err != nil || check == nil {
			return err
		}
		if err := check(cmd, args); err != nil {
			return exitError{exitUsage, fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())}
		}
		return nil
	}
	for _, sub := range cmd.Commands() {
		prepare(sub)
	}
}
