package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"edgebench/target/coldstart"
)

// A coldStartCommand is what the command line of cold-start says.
type coldStartCommand struct {
	cfg             coldstart.Config
	csv, json, help bool
}

// coldStartFlags is in the order of the help.
var coldStartFlags = []flag[coldStartCommand]{
	{name: "runtime", value: "NAME[,NAME...]", help: "runtimes to set side by side, ratios to the first (default fork,exec)", set: func(c *coldStartCommand, v string) error {
		c.cfg.Runtimes = strings.Split(v, ",")
		return nil
	}},
	{name: "n", value: "N", help: "starts of each runtime (default 200)", set: whole(func(c *coldStartCommand) *int { return &c.cfg.Starts })},
	{name: "heap", value: "SIZE", help: "touched heap of a worker (default 100MB)", set: sized(func(c *coldStartCommand) *int64 { return &c.cfg.Heap })},
	{name: "work", value: "NAME", help: "what the requests ask for, with a service time of 0 (default sleep)", set: text(func(c *coldStartCommand) *string { return &c.cfg.Work })},
	{name: "workers", value: "N", help: "workers whose memory is measured, 0 for none (default 15)", set: whole(func(c *coldStartCommand) *int { return &c.cfg.Workers })},
	{name: "seed", value: "N", help: "of the order of the runtimes in a round (default 1)", set: seed(func(c *coldStartCommand) *uint64 { return &c.cfg.Seed })},
	{name: "json", help: "print the report as JSON", on: func(c *coldStartCommand) { c.json = true }},
	{name: "csv", help: "print every single value as CSV", on: func(c *coldStartCommand) { c.csv = true }},
	{name: "help", help: "print this text", on: func(c *coldStartCommand) { c.help = true }},
}

// coldStart is `target cold-start` until ctx ends; then it prints what there is.
func coldStart(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := coldStartCommand{cfg: coldstart.Default()}
	faults := read(args, coldStartFlags, &c)
	if c.help {
		fmt.Fprint(stdout, coldStartUsage())
		return exitOK
	}
	if c.csv && c.json {
		faults = append(faults, errors.New("flags --json and --csv: give one of them"))
	}
	if err := errors.Join(append(faults, c.cfg.Validate())...); err != nil {
		fmt.Fprintf(stderr, "target cold-start: %v\nsee target cold-start --help\n", err)
		return exitUsage
	}
	if interactive(stderr) {
		c.cfg.Progress = func(what string, done, total int) { fmt.Fprintf(stderr, "\r\x1b[K%s %d of %d", what, done, total) }
		defer fmt.Fprint(stderr, "\r\x1b[K")
	}
	report, err := coldstart.Run(ctx, c.cfg)
	if err == nil {
		err = c.print(report, stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "target cold-start: %v\n", err)
		return failure(err)
	case report.Interrupted:
		return exitInterrupted
	}
	return exitOK
}

// interactive reports whether w is a terminal that shows progress.
func interactive(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}

func (c *coldStartCommand) print(report *coldstart.Report, w io.Writer) error {
	switch {
	case c.json:
		return report.JSON(w)
	case c.csv:
		return report.CSV(w)
	}
	return report.Text(w)
}

func coldStartUsage() string {
	var b strings.Builder
	b.WriteString(`target cold-start measures what a cold start costs: from the decision to start a
worker until it is ready and until it has answered its first request, and the
memory of workers, fresh and after writing to their heaps.

Runtimes take turns in an order drawn by lot, after one uncounted round: programs
and libraries are in the page cache. Ctrl-C prints what there is.

Examples
  target cold-start
  target cold-start --runtime fork,exec,python,python-exec --n 100
  target cold-start --runtime python-exec,python --heap 4KiB     interpreter and imports alone
  target cold-start --runtime exec,python --work image --json
`)
	helpFlags(&b, coldStartFlags)
	helpRuntimes(&b)
	return b.String()
}
