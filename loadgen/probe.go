package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/experiment"
	"edgebench/loadgen/probe"
	"edgebench/profiles"
)

// probeFlags are what the command line says of one probe.
type probeFlags struct {
	profile string
	sets    []string
	warm    int
	idle    []time.Duration
	most    int
	write   string
	asJSON  bool
	quiet   bool
}

func newProbe() *cobra.Command {
	var flags probeFlags
	cmd := &cobra.Command{
		Use:   "probe URL",
		Short: "get to know an endpoint with a few requests, and print a profile to begin with",
		Long: `probe sends a few requests, one after the other: what the endpoint speaks (HTTP,
TLS, keep-alive), how fast it answers warm and after idling, whether headers or a
JSON body tell of cold starts. It proposes a cold threshold, a rate to begin with,
and a profile. What a request is comes from --profile and --set, as for run.

It sends --requests and two more for each --idle, and refuses to begin when that is
more than --max-requests. Functions go cold after minutes: --idle 10m,30m shows it.

Exit: 0 ok, 2 usage error, 3 unreachable, speaks another protocol, or no request
was ok, 12 interrupted.`,
		Example: `  loadgen probe http://127.0.0.1:8080/hello
  loadgen probe https://abc.lambda-url.eu-west-1.on.aws/ --idle 1m,10m --write mine.yaml
  loadgen probe https://fn.example/ --set request.method=POST --set "request.body='{}'"
  loadgen probe http://127.0.0.1:9000/ --profile faas-lambda-rie --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.profile, "profile", "", "profile whose request and target settings to use")
	f.StringArrayVar(&flags.sets, "set", nil, "override a profile key, for example request.method=POST (repeatable)")
	f.IntVar(&flags.warm, "requests", 10, "requests one after the other, at least 2")
	f.DurationSliceVar(&flags.idle, "idle", []time.Duration{time.Second, 5 * time.Second}, "pauses, each followed by two requests")
	f.IntVar(&flags.most, "max-requests", 50, "refuse to send more than this")
	f.StringVar(&flags.write, "write", "", "write the profile to this file, which must not exist yet")
	f.BoolVar(&flags.asJSON, "json", false, "print everything as JSON")
	f.BoolVar(&flags.quiet, "quiet", false, "no progress line")
	return cmd
}

// target is the profile that says what is probed.
func (p *probeFlags) target(address string) (*profiles.Profile, error) {
	if p.profile != "" {
		return loadProfile(p.profile, append([]string{fmt.Sprintf("target.url=%q", address)}, p.sets...))
	}
	parsed, err := parseSets(p.sets)
	if err != nil {
		return nil, err
	}
	target, err := profiles.OneLiner(address, "1/s", "1s", parsed) // the rate is not used
	var faults profiles.Faults
	if asFaults(err, &faults) {
		for i := range faults {
			if faults[i].File == "--url" { // here it is an argument
				faults[i].File = "URL"
			}
		}
		return nil, faults
	}
	return target, err
}

// faults are those of the flags, all at once.
func (p *probeFlags) faults() error {
	var faults []error
	if p.warm < 2 {
		faults = append(faults, fmt.Errorf("--requests %d: want 2 or more", p.warm))
	}
	for _, d := range p.idle {
		if d < 0 {
			faults = append(faults, fmt.Errorf("--idle %v: a pause is 0 or more", d))
		}
	}
	if sends := (probe.Config{Warm: p.warm, Idle: p.idle}).Sends(); sends > p.most {
		faults = append(faults, fmt.Errorf("that would be %d requests, more than --max-requests %d: nothing was sent", sends, p.most))
	}
	if p.write != "" {
		if _, err := os.Lstat(p.write); err == nil {
			faults = append(faults, fmt.Errorf("--write %s: exists already", p.write))
		}
	}
	if len(faults) > 0 {
		return exitError{exitUsage, errors.Join(faults...)}
	}
	return nil
}

func (p *probeFlags) run(cmd *cobra.Command, address string) error {
	target, err := p.target(address)
	if err == nil {
		err = p.faults()
	}
	if err != nil {
		return err
	}
	stop := stopperSaying(cmd.Context(), cmd.ErrOrStderr(), "no more requests", "")
	defer stop.close()
	if err := experiment.Preflight(stop.ctx, target); err != nil {
		return interrupted(stop.ctx, err)
	}
	line := newProgressLine(cmd.ErrOrStderr(), p.quiet)
	report, err := experiment.Probe(stop.ctx, target, experiment.ProbeOptions{Warm: p.warm, Idle: p.idle, Notice: line.show})
	line.clear()
	if err != nil {
		return interrupted(stop.ctx, err)
	}
	if p.write != "" && report.Profile != "" {
		if err := createNew(p.write, []byte(report.Profile)); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	if p.asJSON {
		err = writeJSON(out, report)
	} else {
		_, err = io.WriteString(out, probeText(report, p.write))
	}
	if err == nil && report.Failed == len(report.Answers) {
		return exitError{exitUnreachable, nil}
	}
	return err
}

// interrupted is an error that came of a Ctrl-C and means no more than that.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return exitError{exitPartial, errors.New("interrupted before there was anything to tell")}
}
