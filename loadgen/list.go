package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"edgebench/analysis"
	"edgebench/analysis/figures"
	"edgebench/loadgen/price"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
	"edgebench/profiles/model"
	"edgebench/target/dispatch"
	"edgebench/target/policy"
)

// lists names what is built in, each straight from its registry.
var lists = map[string]func(io.Writer){
	"profiles": func(w io.Writer) {
		var endpoints []profiles.Info
		fmt.Fprintln(w, "with the bundled node (another target by --url)")
		for _, p := range profiles.Embedded() {
			if p.Endpoint {
				endpoints = append(endpoints, p)
				continue
			}
			fmt.Fprintf(w, "%s\t%s\n", p.Name, p.Description)
		}
		fmt.Fprintln(w, "\nfor functions elsewhere (docs/third-party.md)")
		for _, p := range endpoints {
			fmt.Fprintf(w, "%s\t%s\n", p.Name, p.Description)
		}
	},
	"policies": func(w io.Writer) {
		fmt.Fprintln(w, "in a profile: policy: NAME, or with parameters policy: {NAME: {PARAMETER: NUMBER}}")
		for _, s := range policy.Specs() {
			fmt.Fprintf(w, "%s\t%s\n", s.Name, s.Help)
			for _, p := range s.Params {
				fmt.Fprintf(w, "  %s (default %g)\t  %s\n", p.Name, p.Default, p.Help)
			}
		}
	},
	"figures": func(w io.Writer) {
		fmt.Fprintln(w, "of runs, by loadgen report RUN... --figures DIR, as SVG and PNG")
		for _, f := range figures.Figures() {
			fmt.Fprintf(w, "%s\t%s\n", f.Name, f.Help)
		}
	},
	"metrics": func(w io.Writer) {
		fmt.Fprintln(w, "in a threshold: [PART.]METRIC < LIMIT, where PART is a phase, PHASE[CYCLE], cycle[CYCLE] or fn.FUNCTION")
		for _, m := range analysis.Metrics() {
			note := ""
			if m.Percent {
				note = "or a percentage"
			}
			if m.OfRun {
				note = "of the whole run"
			}
			fmt.Fprintf(w, "%s\t< %s\t%s\n", m.Name, m.Limit, note)
		}
	},
	"prices": func(w io.Writer) {
		fmt.Fprintln(w, "for loadgen plan --price NAME; lists change, and regions differ: check them")
		for _, p := range price.Recipes() {
			fmt.Fprintf(w, "%s\t%s: %g %s a million requests, %g a GB-second (%s, as of %s)\n", p.Name, p.Of, p.Million, p.Currency, p.GBSecond, p.Source, p.AsOf)
		}
	},
	"models": func(w io.Writer) {
		specs, err := model.Embedded()
		if err != nil {
			panic(err) // the embedded models are tested
		}
		for _, s := range specs {
			fmt.Fprintf(w, "%s\t%s\n", s.Name, s.Description)
			for _, v := range s.Variants {
				fmt.Fprintf(w, "  %s:%s\t\n", s.Name, v.Name)
			}
			for _, p := range s.Params {
				fmt.Fprintf(w, "  %s (default %s)\t  %s\n", p.Name, p.Default, p.Help)
			}
		}
	},
	"arrivals": func(w io.Writer) {
		fmt.Fprintln(w, "in a profile: arrivals: NAME, or with parameters arrivals: {NAME: {PARAMETER: VALUE}}")
		for _, f := range arrival.Families() {
			fmt.Fprintf(w, "%s\t%s\n", f.Name, f.Help)
			for _, p := range f.Params {
				fmt.Fprintf(w, "  %s\t  %s\n", p.Name, p.Help)
			}
		}
		listRecorded(w)
	},
	"dispatch": func(w io.Writer) {
		fmt.Fprintln(w, "in a profile: dispatch: NAME, with weights where it takes some: dispatch: NAME:3,2,1")
		for _, s := range dispatch.Specs() {
			fmt.Fprintf(w, "%s\t%s\n", s.Name, s.Help)
		}
	},
}

func newList() *cobra.Command {
	return &cobra.Command{
		Use:   "list profiles|arrivals|policies|dispatch|models|figures|metrics|prices",
		Short: "list what is built in",
		Example: `  loadgen list profiles
  loadgen list policies                            with their parameters`,
		Args:      oneOf("list", slices.Sorted(maps.Keys(lists))),
		ValidArgs: slices.Sorted(maps.Keys(lists)),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			lists[args[0]](w)
			return w.Flush()
		},
	}
}
