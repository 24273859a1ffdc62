package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"edgebench/profiles"
	"edgebench/profiles/schema"
	"edgebench/target/policy"
)

// schemas are the files that people write for us.
var schemas = map[string]func() *schema.Schema{
	"profile": func() *schema.Schema { return profiles.ProfileSchema(policyForm()) },
	"batch":   func() *schema.Schema { return profiles.BatchSchema(schema.Words(policyNames()...)) },
}

func newSchema() *cobra.Command {
	var markdown bool
	kinds := slices.Sorted(maps.Keys(schemas))
	cmd := &cobra.Command{
		Use:   "schema profile|batch",
		Short: "print what a profile or a batch file may hold, as JSON Schema or Markdown",
		Long: `schema prints a JSON Schema (draft 2020-12), with which editors complete keys and
mark mistakes while you type. Name it in the first line of a file:

  # yaml-language-server: $schema=profile.schema.json

Rules over several keys are told by loadgen check alone.`,
		Example: `  loadgen schema profile > profile.schema.json
  loadgen schema batch --markdown`,
		ValidArgs: kinds,
		Args:      oneOf("kind of file", kinds),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := schemas[args[0]]()
			if markdown {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\nMade by loadgen schema %s --markdown.\n", s.Markdown(), args[0])
				return err
			}
			text, err := s.JSON()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print tables to read instead")
	return cmd
}

// oneOf wants one argument of a list.
func oneOf(what string, known []string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 1 && slices.Contains(known, args[0]):
			return nil
		case len(args) == 1:
			return fmt.Errorf("%s", profiles.UnknownName(what, args[0], known))
		}
		return fmt.Errorf("want one of %s", strings.Join(known, ", "))
	}
}

// policyForm is every policy with its parameters.
func policyForm() *schema.Schema {
	forms := []*schema.Schema{schema.Words(policyNames()...)}
	for _, s := range policy.Specs() {
		fields := []schema.Field{} // none is none, not any
		for _, p := range s.Params {
			fallback := json.Number(strconv.FormatFloat(p.Default, 'g', -1, 64))
			fields = append(fields, schema.Key(p.Name, p.Help, profiles.PolicyParameter().Or(fallback)))
		}
		forms = append(forms, schema.Named(s.Name, profiles.PolicyParameters(fields)))
	}
	form := schema.AnyOf(forms...)
	form.Title = "name of a policy, or {NAME: {PARAMETER: number}}"
	return form
}
