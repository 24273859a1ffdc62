package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"edgebench/target/predictorcost"
)

// A predictorCostCommand is what the command line of predictor-cost says.
type predictorCostCommand struct {
	cfg        predictorcost.Config
	json, help bool
}

// predictorCostFlags is in the order of the help.
var predictorCostFlags = []flag[predictorCostCommand]{
	{name: "time", value: "DURATION", help: "for the decisions of each policy (default 200ms)", set: duration(func(c *predictorCostCommand) *time.Duration { return &c.cfg.Budget })},
	{name: "fits", value: "N", help: "fits of each length by each fitter (default 10)", set: whole(func(c *predictorCostCommand) *int { return &c.cfg.Repeats })},
	{name: "fitters", value: "NAME[,NAME]", help: "fitters to measure (default ours,statsmodels)", set: func(c *predictorCostCommand, v string) error {
		c.cfg.Fitters = strings.Split(v, ",")
		return nil
	}},
	{name: "json", help: "print the report as JSON", on: func(c *predictorCostCommand) { c.json = true }},
	{name: "help", help: "print this text", on: func(c *predictorCostCommand) { c.help = true }},
}

// predictorCost is `target predictor-cost` until ctx ends; then it prints what there is.
func predictorCost(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := predictorCostCommand{cfg: predictorcost.Default()}
	faults := read(args, predictorCostFlags, &c)
	if c.help {
		fmt.Fprint(stdout, predictorCostUsage())
		return exitOK
	}
	if err := errors.Join(append(faults, c.cfg.Validate())...); err != nil {
		fmt.Fprintf(stderr, "target predictor-cost: %v\nsee target predictor-cost --help\n", err)
		return exitUsage
	}
	if interactive(stderr) {
		c.cfg.Progress = func(what string) { fmt.Fprintf(stderr, "\r\x1b[K%s", what) }
	}
	report, err := predictorcost.Run(ctx, c.cfg)
	if c.cfg.Progress != nil {
		fmt.Fprint(stderr, "\r\x1b[K")
	}
	switch {
	case err != nil:
	case c.json:
		err = report.JSON(stdout)
	default:
		err = report.Text(stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "target predictor-cost: %v\n", err)
		return failure(err)
	case report.Interrupted:
		return exitInterrupted
	}
	return exitOK
}

func predictorCostUsage() string {
	var b strings.Builder
	b.WriteString(`target predictor-cost measures what deciding costs: one decision of each policy, in
time and allocations, and a fit of ARIMA by our own fitter and by Python's
statsmodels where it is installed, in time and memory.

Examples
  target predictor-cost
  target predictor-cost --time 2s --fits 100 --json
`)
	helpFlags(&b, predictorCostFlags)
	return b.String()
}
