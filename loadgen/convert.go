package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"edgebench/analysis/plain"
	"edgebench/loadgen/convert"
)

func newConvert() *cobra.Command {
	var from, write string
	var o convert.Options
	var names, about []string
	for _, f := range convert.Formats() {
		names = append(names, f.Name)
		about = append(about, fmt.Sprintf("  %-7s %s", f.Name, f.Help))
	}
	cmd := &cobra.Command{
		Use:     "convert FILE|-",
		Aliases: []string{"import"},
		Short:   "make a profile of a curl command line, a HAR file, k6's options or vegeta's targets",
		Long: `convert writes a commented profile on standard output, or with --write into a new
file, and says on standard error what it could not carry over and why. Credentials
become ${NAME}, read from the environment when the profile is run. Nothing is sent.

` + strings.Join(about, "\n"),
		Example: `  pbpaste | loadgen convert - --rate 50/s --write checkout.yaml
  loadgen convert session.har --host api.example.org
  k6 inspect script.js | loadgen convert - --from k6 --url https://example.org/
  loadgen convert targets.txt --from vegeta > targets.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if write != "" && filepath.Ext(write) == "" {
				write += ".yaml"
			}
			if o.File = args[0]; o.File == "-" {
				o.File = "standard input"
			}
			o.Name = strings.TrimSuffix(filepath.Base(write), filepath.Ext(write))
			if write == "" {
				o.Name = ""
			}
			in, err := opened(cmd, args[0])
			if err != nil {
				return exitError{exitUsage, err}
			}
			defer in.Close()
			made, err := convert.Convert(in, from, o)
			if err != nil {
				return err
			}
			if write == "" {
				_, err = cmd.OutOrStdout().Write(made.Profile)
			} else if err = createNew(write, made.Profile); err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s written. Next:\n  loadgen check %s\n  loadgen plan %s\n", write, write, write)
			}
			if err == nil {
				tell(cmd.ErrOrStderr(), made)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&from, "from", "", strings.Join(names, "|")+": what it is, where that is not plain")
	f.StringVar(&write, "write", "", "the file to write, which must not be there; it names the profile")
	f.StringVar(&o.Rate, "rate", "", "constant rate ["+convert.DefaultRate+"; of har: the recorded times]; not of k6")
	f.StringVar(&o.Duration, "duration", "", "how long ["+convert.DefaultDuration+"]; not of k6")
	f.StringVar(&o.Host, "host", "", "of har: take the requests to this host, host:port or origin")
	f.StringVar(&o.URL, "url", "", "of k6: the target, which its options do not have")
	return cmd
}

// opened is the file, or standard input.
func opened(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a folder: name a file, or - for standard input", name)
	}
	return f, nil
}

// tell what is to be known about a profile that was made.
func tell(w io.Writer, made *convert.Result) {
	for _, n := range made.Notes {
		fmt.Fprintln(w, plain.Text(n.At+": "+n.Text))
	}
	if len(made.Secrets) > 0 {
		fmt.Fprintln(w, "to be set before a run:")
	}
	for _, s := range made.Secrets {
		fmt.Fprintln(w, plain.Text("  export "+s.Name+"=…    # "+s.Of))
	}
}
