package main

import (
	"fmt"
	"slices"
	"strings"

	"edgebench/target/dispatch"
	"edgebench/target/node"
	"edgebench/target/policy"
	"edgebench/target/worker"
)

// parse reads the node's command line.
func parse(args []string) (settings, []error) {
	s := settings{cfg: node.Default()}
	return s, read(args, flags, &s)
}

// read sets flags, `--name value` or `--name=value`, and returns every fault in
// the command line. The standard parser stops at the first.
func read[S any](args []string, flags []flag[S], s *S) []error {
	var faults []error
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if arg == "-h" {
			name = "help"
		}
		at := slices.IndexFunc(flags, func(f flag[S]) bool { return f.name == name })
		switch {
		case !strings.HasPrefix(arg, "-"):
			faults = append(faults, fmt.Errorf("argument %q: want flags only, or in the first place cold-start or predictor-cost", arg))
		case at < 0:
			faults = append(faults, fmt.Errorf("flag %q: unknown", arg))
			if !inline && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
				args = args[1:] // most likely its value: not a second fault
			}
		case flags[at].set == nil && inline:
			faults = append(faults, fmt.Errorf("flag --%s: takes no value, not %q", name, value))
		case flags[at].set == nil:
			flags[at].on(s)
		case !inline && len(args) == 0:
			faults = append(faults, fmt.Errorf("flag --%s: needs a value %s", name, flags[at].value))
		default:
			if !inline {
				value, args = args[0], args[1:]
			}
			if err := flags[at].set(s, value); err != nil {
				faults = append(faults, fmt.Errorf("flag --%s %q: %w", name, value, err))
			}
		}
	}
	return faults
}

// helpFlags and helpRuntimes write their part of a help text.
func helpFlags[S any](b *strings.Builder, flags []flag[S]) {
	b.WriteString("\nFlags\n")
	for _, f := range flags {
		fmt.Fprintf(b, "  %-32s %s\n", "--"+strings.TrimSpace(f.name+" "+f.value), f.help)
	}
}

func helpRuntimes(b *strings.Builder) {
	b.WriteString("\nRuntimes\n")
	for _, name := range worker.Names() {
		fmt.Fprintf(b, "  %-18s %s\n", name, worker.Help(name))
	}
	b.WriteString("\nWork\n")
	for _, name := range worker.Works() {
		fmt.Fprintf(b, "  %-18s %s\n", name, worker.WorkHelp(name))
	}
}

// usage is the text of --help. Policies and dispatch rules come from their
// registries.
func usage() string {
	var b strings.Builder
	b.WriteString(`target is a worker node: it serves HTTP and executes each request in a worker
process; a policy decides how many workers there are.

  GET /ping     answered at once, without a worker
  any other     an invocation; the response's X- headers tell its path and its waits
  GET /stats    the node's state, JSON
  GET /metrics  the same for Prometheus
  GET /events   what happened since ?after=SEQ, JSON lines

Examples
  target                                            the study's node on port 8080
  target --policy static --workers 15 --service 200ms
  target --policy ewma --param k=3 --param h=6 --miss queue
  target --listen 127.0.0.1:0 --runtime exec --attached
  target --runtime python --work image --service 50ms
  target cold-start --runtime fork,exec,python      what a cold start costs; see
                                                    target cold-start --help
  target predictor-cost                             what deciding costs

When the first workers are ready the node prints one line of JSON with its
address. SIGTERM or Ctrl-C finishes what is in flight, a second one exits at once.
`)
	helpFlags(&b, flags)
	helpRuntimes(&b)
	b.WriteString("\nPolicies\n")
	for _, p := range policy.Specs() {
		fmt.Fprintf(&b, "  %-18s %s\n", p.Name, p.Help)
		for _, param := range p.Params {
			fmt.Fprintf(&b, "      %-14s %s (default %g)\n", param.Name, param.Help, param.Default)
		}
	}
	b.WriteString("\nDispatch rules\n")
	for _, d := range dispatch.Specs() {
		fmt.Fprintf(&b, "  %-18s %s\n", d.Name, d.Help)
	}
	return b.String()
}
