package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addPolicyFlags adds the short forms of the profile keys people change most.
func addPolicyFlags(f *pflag.FlagSet, policy *string, workers *int, seed *uint64) {
	f.StringVar(policy, "policy", "", "scaling policy of the bundled node (see: loadgen list policies)")
	f.IntVar(workers, "workers", 0, "workers of the policy, for static the whole pool")
	f.Uint64Var(seed, "seed", 1, "seed of every random stream")
}

// policyFaults are values of those flags that no profile key would refuse.
func policyFaults(cmd *cobra.Command, workers int) error {
	if cmd.Flags().Changed("workers") && workers < 1 {
		return exitError{exitUsage, fmt.Errorf("--workers %d: want 1 or more", workers)}
	}
	return nil
}

// policySets turns the flags that were given into settings of profile keys.
func policySets(cmd *cobra.Command, policy string, workers int, seed uint64) []string {
	sets := drawSets(cmd, workers, seed)
	if cmd.Flags().Changed("policy") {
		sets = append(sets, "target.bundled.policy="+policy)
	}
	return sets
}

// drawSets are those of the flags beside the policy.
func drawSets(cmd *cobra.Command, workers int, seed uint64) []string {
	var sets []string
	if cmd.Flags().Changed("workers") {
		sets = append(sets, fmt.Sprintf("target.bundled.workers=%d", workers))
	}
	if cmd.Flags().Changed("seed") {
		sets = append(sets, fmt.Sprintf("seed=%d", seed))
	}
	return sets
}
