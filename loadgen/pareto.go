package main

import (
	"github.com/spf13/cobra"

	"edgebench/analysis/compare"
	"edgebench/analysis/figures"
	"edgebench/analysis/report"
)

func newPareto() *cobra.Command {
	var (
		flags groupFlags
		x, y  string
	)
	cmd := &cobra.Command{
		Use:   "pareto RUN...",
		Short: "what each group costs against what it gives, and which ones nothing beats",
		Long: `pareto takes the same arguments as compare and puts each group of trials at its
mean cost (x) and quality (y), with intervals over trials. Groups that another
beats on both axes are explained: by whom and by how much. RSS stands beside PSS,
because a sum of RSS counts shared pages once a process.`,
		Example: `  loadgen pareto runs/night
  loadgen pareto sims/* --x worker_seconds --y p99
  loadgen pareto runs/night --phase spike --json
  loadgen pareto sims/* --figure figures`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := flags.read(args)
			if err != nil {
				return err
			}
			f, err := compare.Pareto(set, x, y, flags.Options)
			if err != nil {
				return usage(err)
			}
			if err := flags.draw(cmd.ErrOrStderr(), "pareto", func() (*figures.Picture, error) { return figures.Pareto(f) }); err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			return flags.write(out, f, func() error { return report.ParetoCSV(out, f) }, func(o report.TextOptions) string { return report.ParetoText(f, o) })
		},
	}
	flags.add(cmd.Flags())
	cmd.Flags().StringVar(&x, "x", "", "cost: pss_byte_seconds pss_mean worker_seconds cpu_seconds (default pss_byte_seconds; worker_seconds when all is simulated)")
	cmd.Flags().StringVar(&y, "y", "", "quality: cold cold_threshold errors p50 p95 p99 max mean service_p99 (default cold)")
	return cmd
}
