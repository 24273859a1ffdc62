package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"edgebench/profiles"
)

func newInit() *cobra.Command {
	var from, url string
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "write a commented profile to begin with",
		Long: `init writes a profile with comments on every key people change first, ready to
run. It never overwrites a file. FILE is my-profile.yaml unless told otherwise, and
names the profile. --from takes the source of an embedded profile instead.`,
		Example: `  loadgen init
  loadgen init checkout.yaml --url https://example.org/fn
  loadgen init my-ramp.yaml --from bursty-ramp`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := "my-profile.yaml"
			if len(args) == 1 {
				file = args[0]
			}
			if filepath.Ext(file) == "" {
				file += ".yaml"
			}
			text, err := firstProfile(file, from, url)
			if err != nil {
				return err
			}
			if err := createNew(file, text); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s written. Next:\n  loadgen check %s\n  loadgen plan %s\n  loadgen run %s\n", file, file, file, file)
			return nil
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the embedded profile to copy (see: loadgen list profiles)")
	cmd.Flags().StringVar(&url, "url", "", "target of the profile, instead of the bundled node")
	cmd.MarkFlagsMutuallyExclusive("from", "url")
	return cmd
}

// nameLine is the line of a profile that names it.
var nameLine = regexp.MustCompile(`(?m)^name: .*$`)

// firstProfile is the text of a new profile, which was checked as any other is.
func firstProfile(file, from, url string) ([]byte, error) {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	target, path := bundledTarget, "path: /"
	if url != "" {
		target, path = fmt.Sprintf(urlTarget, url), "# path: /                      # unless the url has one"
	}
	text := strings.NewReplacer("NAME", name, "TARGET", target, "PATH", path).Replace(profileTemplate)
	if from != "" {
		data, ok := profiles.EmbeddedYAML(from)
		if !ok {
			_, err := profiles.Load(from)
			if err == nil {
				err = fmt.Errorf("--from %s: not an embedded profile, copy the file (see: loadgen list profiles)", from)
			}
			return nil, exitError{exitUsage, err}
		}
		text = nameLine.ReplaceAllString(string(data), "name: "+name)
	}
	if _, err := profiles.Parse(file, []byte(text), nil); err != nil {
		return nil, err
	}
	return []byte(text), nil
}

// createNew writes a file that must not be there.
func createNew(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return exitError{exitUsage, fmt.Errorf("%s is there already: name another file", file)}
	}
	if err != nil {
		return exitError{exitUsage, err}
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

const bundledTarget = `target:
  bundled:                       # a worker node of ours, started and stopped by the run
    policy: ewma                 # see: loadgen list policies
    service: 500ms               # or {exponential: 500ms}
  # url: https://example.org/fn  # somebody else's endpoint, instead of bundled`

const urlTarget = `target:
  url: %q
  # bundled: {policy: ewma}      # a worker node of ours, instead of url`

const profileTemplate = `# A profile for loadgen. Every key has a default; an unknown one is an error.
#   loadgen check FILE          every fault at once, with its line
#   loadgen plan FILE           what would be sent; nothing is
#   loadgen run FILE            play it
#   loadgen run FILE --print-config
name: NAME
seed: 1                          # of everything drawn: the same seed, the same requests at the same instants

TARGET

request:
  method: GET
  PATH
  timeout: 10s
  # headers: ["X-Api-Key: ${API_KEY}"]      # ${…} is taken from the environment, and never stored
  # body: {file: body.json}

arrivals: poisson                # even | poisson | {h2: {p: 0.2, scv: 2.125}} | …: loadgen list arrivals

phases:                          # one cycle; a rate needs its unit, a duration too
  - {name: warmup, rate: 5/s, for: 5s}
  - {name: ramp, rate: {from: 5/s, to: 20/s}, for: 10s}
  - {name: spike, rate: 20/s, for: 5s, measure: cold}
# cycles: {count: 4}             # play the phases that often

cold: {auto: true}               # how a cold start is told: {header: NAME}, {json: PATH}, {instance_id: {header: NAME}}, {threshold: 700ms}

# thresholds: ["response.p99 < 900ms", "error_rate < 1%"]   # a run that misses one exits 10; loadgen list metrics
`
