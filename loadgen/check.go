package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"edgebench/loadgen/experiment"
	"edgebench/profiles"
)

func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check PROFILE...",
		Short: "check profiles and report every fault at once",
		Example: `  loadgen check my-profile.yaml
  loadgen check bursty-ramp                        an embedded profile, unless a file has that name`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var faults profiles.Faults
			for _, name := range args {
				p, err := loadProfile(name, nil)
				var more profiles.Faults
				if asFaults(err, &more) {
					faults = append(faults, more...)
					continue
				}
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				m, s, err := experiment.Manifest(cmd.Context(), p)
				if asFaults(err, &more) {
					faults = append(faults, more...)
					s, err = p.Schedule()
				}
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if err := experiment.CheckRequests(p, s); asFaults(err, &more) {
					faults = append(faults, more...)
				} else if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if len(faults) > 0 {
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: ok, %d phases, %d requests in %s\n",
					name, len(m.Phases), m.Planned, clock(s.Duration()))
			}
			if len(faults) > 0 {
				return faults
			}
			return nil
		},
	}
}
