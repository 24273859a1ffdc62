package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"edgebench/loadgen/batch"
	"edgebench/profiles"
)

type batchFlags struct {
	out      string
	deadline string
	asJSON   bool
	quiet    bool
	guard    guardFlags
	mirror   string
	minFree  int64 // MB
	live     string
}

func newBatch() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "many trials over profiles and policies: planned, resumed after a crash, none lost, none made twice",
		Long: `batch makes every trial of a batch file: each profile under each policy, so many
times, in an order drawn beforehand that interleaves them, so that what drifts over
a night drifts through all of them alike. Trials of one number have the same seed
in every mode: they are pairs.

A batch lives in a folder. Kill it whenever you like: "batch resume" goes on with
what is not done. A trial counts when its result is in results/<trial>/, written,
synced and summed; nothing else counts.`,
		Example: `  loadgen batch plan overnight.yaml
  loadgen batch run overnight.yaml --out night --deadline 06:30
  loadgen batch status night
  loadgen batch cancel night
  loadgen batch resume night
  loadgen batch report night`,
	}
	cmd.AddCommand(newBatchPlan(), newBatchRun(), newBatchResume(), newBatchStatus(), newBatchCancel(), newBatchLift(), newBatchReport())
	return cmd
}

func newBatchPlan() *cobra.Command {
	var flags batchFlags
	cmd := &cobra.Command{
		Use:     "plan FILE",
		Short:   "order, duration and expected end of a batch; nothing is run",
		Example: "  loadgen batch plan overnight.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, _, err := loadBatch(args[0])
			if err != nil {
				return err
			}
			if flags.asJSON {
				return writeJSON(cmd.OutOrStdout(), p)
			}
			return printPlanOf(cmd.OutOrStdout(), p, time.Now())
		},
	}
	cmd.Flags().BoolVar(&flags.asJSON, "json", false, "print the plan as JSON")
	return cmd
}

func newBatchRun() *cobra.Command {
	var flags batchFlags
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "make the trials of a batch that are not done yet",
		Long: `run plans the batch and makes its trials one after the other on this machine. In a
folder that holds the same batch already it goes on; one that holds another is
refused. The first Ctrl-C ends the trial in progress, which the next run makes again.

Exit: 0 every trial has a result, 13 some have none, or too many are invalid.`,
		Example: `  loadgen batch run overnight.yaml --out night
  loadgen batch run overnight.yaml --out night --deadline 06:30`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, p, release, err := flags.newFolder(args[0])
			if err != nil {
				return err
			}
			defer release()
			return flags.run(cmd, folder, p)
		},
	}
	cmd.Flags().StringVar(&flags.out, "out", "", "folder of the batch (default: the batch's name)")
	flags.add(cmd)
	return cmd
}

func newBatchResume() *cobra.Command {
	var flags batchFlags
	cmd := &cobra.Command{
		Use:   "resume DIR",
		Short: "go on with a batch as it was begun",
		Long: `resume makes the trials of a batch folder that are not done yet, with the plan and
the profiles stored there: edits of the original files since do not count.`,
		Example: "  loadgen batch resume night",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, p, release, err := openFolder(args[0])
			if err != nil {
				return err
			}
			defer release()
			return flags.run(cmd, folder, p)
		},
	}
	flags.add(cmd)
	return cmd
}

func (b *batchFlags) add(cmd *cobra.Command) {
	b.guard.add(cmd.Flags())
	cmd.Flags().StringVar(&b.deadline, "deadline", "", "time of day, as 06:30: no trial is started that cannot end by then (default: the batch file's)")
	cmd.Flags().BoolVar(&b.asJSON, "json", false, "print the final status as JSON")
	cmd.Flags().BoolVar(&b.quiet, "quiet", false, "no progress line and no notices")
	cmd.Flags().StringVar(&b.live, "live", "", "serve a page with the trials and the end to expect on HOST:PORT; :0 is a free port of 127.0.0.1")
	cmd.Flags().StringVar(&b.mirror, "mirror", "", "folder to copy each finished trial to, verified, as on a shared disk")
	cmd.Flags().Int64Var(&b.minFree, "min-free", batch.DefaultMinFree>>20, "MB free on the disk, below which no trial begins")
}

// loadBatch reads a batch file and works out its plan.
func loadBatch(name string) (*batch.Plan, []byte, error) {
	b, err := profiles.LoadBatch(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, exitError{exitUsage, err}
	}
	if err != nil {
		return nil, nil, err
	}
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	p, err := batch.NewPlan(b, version, knownPolicy)
	if errors.Is(err, fs.ErrNotExist) {
		err = exitError{exitUsage, err}
	}
	return p, source, err
}

// newFolder is the folder of a batch file, ours until release, with the plan in it.
func (b *batchFlags) newFolder(file string) (f batch.Folder, p *batch.Plan, release func(), err error) {
	p, source, err := loadBatch(file)
	if err != nil {
		return f, nil, nil, err
	}
	if b.out == "" {
		b.out = p.Name
	}
	f = batch.NewFolder(b.out)
	if release, err = f.Lock(); err != nil {
		return f, nil, nil, exitError{exitUsage, err}
	}
	if err := f.Save(p, source); err != nil {
		release()
		return f, nil, nil, exitError{exitUsage, err}
	}
	return f, p, release, nil
}

// openFolder is a batch folder as it was begun, ours until release.
func openFolder(dir string) (f batch.Folder, p *batch.Plan, release func(), err error) {
	f = batch.NewFolder(dir)
	p, err = f.Load()
	if err == nil && p.Version != version {
		err = fmt.Errorf("%s was begun with version %s of loadgen, this is %s: its trials would not be comparable", dir, p.Version, version)
	}
	if err == nil {
		release, err = f.Lock()
	}
	if err != nil {
		return f, nil, nil, exitError{exitUsage, err}
	}
	return f, p, release, nil
}

func (b *batchFlags) run(cmd *cobra.Command, folder batch.Folder, p *batch.Plan) error {
	if p.Batch.Generators > 0 {
		return exitError{exitUsage, fmt.Errorf("batch %s: its trials are made by %d generators: start loadgen coordinator, and workers with --role (docs/generators.md)", p.Name, p.Batch.Generators)}
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	desk, err := filepath.Abs(folder.Attempts())
	if err != nil {
		return err
	}
	runner := batch.Program{Path: program, Mark: desk}
	return b.play(cmd, folder, p, interruption{
		first: "the trial in progress ends and is made again by: loadgen batch resume " + folder.Path(),
		page:  "The trial in progress ends, and is made again when the batch is resumed. Results are kept.",
	},
		func(ctx context.Context, s session) (batch.Status, error) {
			return batch.Local{
				Folder: folder, Plan: p, Runner: runner, Clear: runner.Clear, Deadline: s.deadline, Notice: s.notice, Progress: s.progress,
				Mirror: b.mirror, MinFree: b.minFree << 20,
			}.Run(ctx)
		})
}

// until is the next instant of the deadline's time of day.
func (b *batchFlags) until(p *batch.Plan, now time.Time) (time.Time, error) {
	text := b.deadline
	if text == "" {
		text = p.Batch.Deadline
	}
	if text == "" {
		return time.Time{}, nil
	}
	of, err := time.Parse("15:04", text)
	if err != nil {
		return time.Time{}, exitError{exitUsage, fmt.Errorf("--deadline %q: want a time of day such as 06:30", text)}
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), of.Hour(), of.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}

func printPlanOf(out io.Writer, p *batch.Plan, now time.Time) error {
	fmt.Fprintf(out, "%s   %d trials, %s one after the other, done about %s if begun now\n\n", p.Name, len(p.Trials), clock(p.Duration()), now.Add(p.Duration()).Format("Mon 15:04"))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "#\tblock\tprofile\tmode\tseed\tlength\ttrial")
	for i, t := range p.Trials {
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%d\t%s\t%s\n", i+1, t.Number, t.Name, t.Mode, t.Seed, clock(t.Length), t.ID)
	}
	return w.Flush()
}
