package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgebench/profiles"
)

// shortForms are the flags that stand for keys of a profile.
var shortForms = map[string]string{
	"seed": "seed", "policy": "target.bundled.policy", "workers": "target.bundled.workers", "url": "target.url",
	"rate": "phases[0].rate", "duration": "phases[0].for",
}

func addPrintConfig(f *pflag.FlagSet, asked *bool) {
	f.BoolVar(asked, "print-config", false, "print every value of the profile with where it came from, and do nothing else")
}

// printConfig lists every value of a profile with where it came from: flag over
// variable over profile over default.
func printConfig(cmd *cobra.Command, w io.Writer, p *profiles.Profile) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "key\tvalue\tfrom")
	for _, s := range p.Settings() {
		fmt.Fprintf(out, "%s\t%s\t%s\n", s.Key, s.Value, origin(cmd, s))
	}
	return out.Flush()
}

// origin names the flag or the variable behind a setting, where a short form was used.
func origin(cmd *cobra.Command, s profiles.Setting) string {
	for name, key := range shortForms {
		f := cmd.Flags().Lookup(name)
		if f != nil && f.Changed && (s.Origin == "--set "+key || s.Origin == "--"+name) {
			return originOf(f)
		}
	}
	if f := cmd.Flags().Lookup("set"); f != nil && len(f.Annotations[environmentNote]) > 0 && strings.HasPrefix(s.Origin, "--set ") {
		return originOf(f)
	}
	return s.Origin
}
