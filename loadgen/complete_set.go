package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgebench/profiles/schema"
)

// completeSets goes down the schema of a profile a key at a time, and after = offers
// the words that the key takes.
func completeSets(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	const more = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	key, _, hasValue := strings.Cut(word, "=")
	path := strings.Split(key, ".")
	if !hasValue {
		path = path[:len(path)-1]
	}
	at := []*schema.Schema{schemas["profile"]()}
	for _, name := range path {
		at = below(at, name)
	}
	var offers []string
	if hasValue {
		for _, form := range schema.AnyOf(at...).Forms() {
			for _, value := range form.Words() {
				offers = append(offers, key+"="+value)
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
	for _, form := range schema.AnyOf(at...).Forms() {
		for _, f := range form.Properties {
			name := strings.Join(append(path[:len(path):len(path)], f.Name), ".")
			scalar, mapping := false, false
			for _, form := range f.Schema.Forms() {
				if form.Type == "object" {
					mapping = mapping || len(form.Properties) > 0
				} else {
					scalar = scalar || form.Type != "array"
				}
			}
			for end, ok := range map[string]bool{"=": scalar, ".": mapping} {
				if ok {
					offers = append(offers, cobra.CompletionWithDesc(name+end, f.Schema.Description))
				}
			}
		}
	}
	slices.Sort(offers)
	return slices.Compact(offers), more
}

// below is what a key of any of the forms may be.
func below(at []*schema.Schema, name string) (out []*schema.Schema) {
	for _, form := range schema.AnyOf(at...).Forms() {
		for _, f := range form.Properties {
			if f.Name == name {
				out = append(out, f.Schema)
			}
		}
	}
	return out
}
