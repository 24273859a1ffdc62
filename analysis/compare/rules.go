package compare

import (
	"fmt"
	"strings"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// The rules by which trials count, fixed before anything is compared.
const (
	// level of every interval.
	level = 0.95

	// alpha of every test, after Holm's correction.
	alpha = 1 - level

	// fewTrials: below it a two-sided exact test of two such groups cannot stay
	// below 5 % after the correction for even a handful of metrics: with 5 and 5
	// the least p is 2/252.
	fewTrials = 6

	// goodTrials is what to plan for: with 10 and 10 the least p is 1e-5, and t
	// is within 15 % of its limit.
	goodTrials = 10

	// halfTrials: odd trials are compared with even ones from twice as many on.
	halfTrials = fewTrials
)

// work are the keys of a profile that say what is asked of a target. Two groups
// that differ in one of them were not given the same load.
var work = []string{"request", "functions", "arrivals", "phases", "cycles", "late"}

// Rules are the sentences a reader gets.
func Rules(o Options) []string {
	if o.Invalid {
		return []string{"every readable trial counts, invalid and partial ones too (--include-invalid)"}
	}
	return []string{"a trial counts when its verdict is valid or thresholds_failed; invalid, partial and damaged ones are left out and listed"}
}

// unusable says why a trial is in no number, empty when it is in all.
func unusable(t *Trial, o Options) string {
	switch t.Manifest.PartRole() {
	case rundir.RoleGenerator:
		return fmt.Sprintf("share %v of a run: loadgen merge puts the shares together", t.Manifest.Share)
	case rundir.RoleTarget:
		return "the target's part of a run: loadgen merge puts the parts together"
	}
	if o.Invalid {
		return ""
	}
	switch v := t.Summary.Verdict; v {
	case analysis.Valid, analysis.ThresholdsFailed:
		return ""
	default:
		return fmt.Sprintf("%s: %s", v, strings.Join(t.Summary.Reasons, "; "))
	}
}
