package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgebench/profiles"
)

// Every flag may be given as a variable too: --max-requests as LOADGEN_MAX_REQUESTS.
// The command line wins.
const environmentPrefix = "LOADGEN_"

// variable is what a name meant for us looks like.
var variable = regexp.MustCompile("^" + environmentPrefix + "[A-Za-z0-9_]+$")

// environmentNote marks a flag whose value came from a variable.
const environmentNote = "environment"

func variableOf(flag string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// bindEnvironment gives the flags that the command line left out the values of
// their variables. A flag that may be repeated takes one value a line. All values
// that will not do are told at once.
func bindEnvironment(cmd *cobra.Command) error {
	var faults []string
	var given []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variableOf(f.Name)
		text := os.Getenv(name)
		if f.Changed || text == "" || f.Name == "help" {
			return
		}
		values := []string{text}
		if _, many := f.Value.(pflag.SliceValue); many {
			values = strings.Split(strings.TrimRight(text, "\n"), "\n")
		}
		for _, value := range values {
			if err := cmd.Flags().Set(f.Name, value); err != nil {
				faults = append(faults, fmt.Sprintf("%s: %v", name, err))
				return
			}
			given = append(given, "--"+f.Name+"="+value)
		}
		f.Annotations = map[string][]string{environmentNote: {name}}
	})
	if len(faults) > 0 {
		return exitError{exitUsage, fmt.Errorf("%s (see %s --help)", strings.Join(faults, "\n"), cmd.CommandPath())}
	}
	cmd.SetContext(context.WithValue(cmd.Context(), environmentKey{}, given))
	return nil
}

// environmentKey is where a context keeps the flags that came from variables.
type environmentKey struct{}

// originOf says where the value of a flag that was given came from.
func originOf(f *pflag.Flag) string {
	if names := f.Annotations[environmentNote]; len(names) > 0 {
		return names[0]
	}
	return "--" + f.Name
}

// redactedArgv is the command line for the manifest, without secrets: what came
// from variables is part of it, so that the line alone plays the run again.
func redactedArgv(ctx context.Context) []string {
	argv := slices.Clone(os.Args)
	given, _ := ctx.Value(environmentKey{}).([]string)
	argv = append(argv, given...)
	for i, arg := range argv {
		argv[i] = profiles.RedactArgument(arg)
	}
	return argv
}

// warnOfVariables tells of variables that are no flag's: a misspelt one would do
// nothing, silently.
func warnOfVariables(root *cobra.Command, environ []string, stderr io.Writer) {
	known := map[string]bool{}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known[variableOf(f.Name)] = true })
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
	names := slices.Sorted(maps.Keys(known))
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !variable.MatchString(name) || known[name] {
			continue
		}
		hint := ""
		if near := nearestVariable(name, names); near != "" {
			hint = ", did you mean " + near + "?"
		}
		fmt.Fprintf(stderr, "loadgen: warning: %s is the variable of no flag%s\n", name, hint)
	}
}

// nearestVariable leaves the prefix, which all share, out of the comparison.
func nearestVariable(name string, known []string) string {
	short := make([]string, len(known))
	for i, k := range known {
		short[i] = strings.ToLower(strings.TrimPrefix(k, environmentPrefix))
	}
	near := profiles.Nearest(strings.ToLower(strings.TrimPrefix(name, environmentPrefix)), short)
	if near == "" {
		return ""
	}
	return environmentPrefix + strings.ToUpper(near)
}
