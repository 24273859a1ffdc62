// Command peers sets loadgen beside wrk, vegeta, k6, fortio and bombardier: all
// of them in turn against one nginx worker pinned to a core, the generator
// pinned to another. It prints one table, with what each figure means and
// where a peer is ahead. It knows loadgen by its command line alone, as it does
// the others.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/sys/unix"

	"edgebench/loadgen/peers/tool"
	"edgebench/loadgen/peers/witness"
)

// Exit codes, those of loadgen.
const (
	exitOK       = 0
	exitInternal = 1
	exitUsage    = 2
	exitPartial  = 12
)

func main() {
	witness.Main()
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are the command line.
type options struct {
	plan       plan
	tools      []tool.Tool
	parts      []part
	folders    tool.Folders
	jsonFile   string
	serverCore int
	clientCore int
	quick      bool
	args       []string
}

func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(stderr, "peers: %v\n", err)
		return exitUsage
	}
	r, err := compare(ctx, o, stderr)
	if r != nil {
		err = errors.Join(err, writeResults(r, o.jsonFile, stdout))
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "peers: %v\n", err)
	if ctx.Err() != nil {
		return exitPartial
	}
	return exitInternal
}

// parse reports every fault of the command line at once.
func parse(args []string, stderr io.Writer) (options, error) {
	o := options{args: args}
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.SetOutput(stderr)
	rounds := f.Int("rounds", 0, "interleaved rounds, of which the median counts (0: 3, with -quick 1)")
	tools := f.String("tools", "", "which, comma-separated (all: "+strings.Join(toolNames(), ", ")+")")
	only := f.String("parts", "", "which, comma-separated (all: "+strings.Join(partNames(), ", ")+")")
	f.BoolVar(&o.quick, "quick", false, "short steps, to see that everything works: no figures to quote")
	f.StringVar(&o.jsonFile, "json", "", "file for the raw figures")
	f.StringVar(&o.folders.Ours, "bin", "bin", "folder of loadgen")
	f.StringVar(&o.folders.Peers, "peers", ".cache/peers", "folder that keeps the peers built from Go modules")
	f.IntVar(&o.serverCore, "server-core", 0, "core of the servers")
	f.IntVar(&o.clientCore, "generator-core", 1, "core of the generators")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.plan = fullPlan()
	if o.quick {
		o.plan = quickPlan()
	}
	if *rounds > 0 {
		o.plan.rounds = *rounds
	}
	var faults []error
	if f.NArg() > 0 {
		faults = append(faults, fmt.Errorf("argument %q: there are only flags", f.Arg(0)))
	}
	if *rounds < 0 {
		faults = append(faults, fmt.Errorf("-rounds %d: want 1 or more", *rounds))
	}
	o.tools = chosen(*tools, "-tools", tool.All(), func(t tool.Tool) string { return t.Name }, &faults)
	o.parts = chosen(*only, "-parts", parts(), func(p part) string { return p.name }, &faults)
	faults = append(faults, usable("-server-core", o.serverCore), usable("-generator-core", o.clientCore))
	if o.serverCore == o.clientCore {
		faults = append(faults, fmt.Errorf("-server-core and -generator-core are both %d: servers and generators need a core each", o.serverCore))
	}
	return o, errors.Join(faults...)
}

// chosen picks from a registry by names, in the registry's order; all of it
// for no name.
func chosen[T any](names, flagName string, all []T, nameOf func(T) string, faults *[]error) []T {
	if names == "" {
		return all
	}
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		wanted[strings.TrimSpace(name)] = true
	}
	var kept []T
	for _, entry := range all {
		if wanted[nameOf(entry)] {
			kept = append(kept, entry)
			delete(wanted, nameOf(entry))
		}
	}
	for name := range wanted {
		*faults = append(*faults, fmt.Errorf("%s: there is no %q", flagName, name))
	}
	return kept
}

// usable says why a core cannot be had.
func usable(flagName string, core int) error {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return os.NewSyscallError("sched_getaffinity", err)
	}
	if core < 0 || !set.IsSet(core) {
		return fmt.Errorf("%s %d: this process may use %d cores, and that is none of them", flagName, core, set.Count())
	}
	return nil
}

func toolNames() (names []string) {
	for _, t := range tool.All() {
		names = append(names, t.Name)
	}
	return names
}

func partNames() (names []string) {
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

// writeResults prints the table and, where a file is named, writes the raw
// figures.
func writeResults(r *results, file string, stdout io.Writer) error {
	_, err := io.WriteString(stdout, r.text())
	if file == "" {
		return err
	}
	data, jsonErr := json.MarshalIndent(r, "", "  ")
	if jsonErr != nil {
		return errors.Join(err, jsonErr)
	}
	return errors.Join(err, os.WriteFile(file, append(data, '\n'), 0o644))
}
