package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgebench/analysis/compare"
	"edgebench/analysis/figures"
	"edgebench/analysis/report"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/experiment"
)

// reportFlags are those of `loadgen report`.
type reportFlags struct {
	asJSON, asCSV        bool
	invalid              bool
	figures, html, outIn string
	course               []report.Happening // of a batch
	ci                   ciFlags
}

func newReport() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "make summary.json and report.html of runs again; several side by side on one page",
		Long: `report makes summary.json and report.html of one run again. Of several runs, of
folders of them or of batches it makes those of each, and one page with all of
them side by side: groups by profile and policy, trials as the unit, differences
with intervals, cold starts by cycle, cost against quality, figures, every phase,
and what it takes to repeat them. The page is one file that loads nothing.`,
		Example: `  loadgen report runs/20261130T054500Z-bursty-ramp-ewma-1a2b3c
  loadgen report RUN --json                        summary.json on stdout
  loadgen report runs/*-bursty-ramp-*              side by side, in runs/report.html
  loadgen report runs/night --html night.html
  loadgen report runs/* --figures figures          SVG and PNG; runs of one policy are its trials`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.asJSON && flags.asCSV {
				return exitError{exitUsage, errors.New("--json and --csv: choose one")}
			}
			if flags.html != "" && flags.outIn != "" {
				return exitError{exitUsage, errors.New("--html and --out: choose one")}
			}
			if _, err := rundir.Open(args[0]); err == nil && len(args) == 1 {
				return flags.one(cmd, args[0])
			}
			if flags.ci != (ciFlags{}) {
				return exitError{exitUsage, errors.New("--junit and --markdown are of one run: give one")}
			}
			return flags.several(cmd, args)
		},
	}
	flags.add(cmd.Flags())
	return cmd
}

func (r *reportFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&r.asJSON, "json", false, "print summary.json; of several runs, what compare --json prints")
	f.BoolVar(&r.asCSV, "csv", false, "print a row a phase and function; of several runs, what compare --csv prints")
	f.StringVar(&r.figures, "figures", "", "folder for figures of all runs, SVG and PNG (see: loadgen list figures)")
	f.StringVar(&r.html, "html", "", "file for the page (default report.html in the run, or in the folder that all runs are in)")
	f.StringVar(&r.outIn, "out", "", "folder for the page, as report.html")
	r.ci.add(f)
	f.BoolVar(&r.invalid, "include-invalid", false, "take invalid and partial trials in, and say so")
}

// page is where the page goes when it is said, else into folder.
func (r *reportFlags) page(folder string) string {
	if r.html != "" {
		return r.html
	}
	if r.outIn != "" {
		folder = r.outIn
	}
	return filepath.Join(folder, rundir.ReportFile)
}

// one reports a single run.
func (r *reportFlags) one(cmd *cobra.Command, dir string) error {
	out := cmd.OutOrStdout()
	page := r.page(dir)
	summary, err := experiment.Derive(dir)
	switch {
	case summary != nil && errors.Is(err, fs.ErrPermission):
		// Somebody else's run can be read all the same.
		fmt.Fprintf(cmd.ErrOrStderr(), "loadgen: warning: nothing is kept in %s: %v\n", dir, err)
		if r.html == "" && r.outIn == "" {
			page = ""
		}
	case err != nil:
		return err
	}
	if err := r.ci.end(summary.Run.Profile, summary, nil); err != nil {
		return err
	}
	if r.html != "" || r.outIn != "" {
		if err := writeFile(page, func(w io.Writer) error { return report.HTML(w, dir, summary) }); err != nil {
			return err
		}
	}
	switch {
	case r.asJSON:
		err = writeJSON(out, summary)
	case r.asCSV:
		err = report.SummaryCSV(out, summary)
	default:
		_, err = io.WriteString(out, textOf(out, page, summary))
	}
	if err != nil || r.figures == "" {
		return err
	}
	_, err = r.draw(cmd.ErrOrStderr(), []figures.Source{{Dir: dir, Summary: summary}})
	return err
}

// several reports groups of runs on one page.
func (r *reportFlags) several(cmd *cobra.Command, args []string) error {
	out, notice := cmd.OutOrStdout(), cmd.ErrOrStderr()
	// Groups that were asked for other work stand side by side all the same; no
	// difference between two profiles is shown.
	set, err := compare.Read(args, compare.Options{Force: true, Mixed: true, Invalid: r.invalid})
	if err != nil {
		if errors.Is(err, compare.ErrUsage) && !r.invalid {
			err = fmt.Errorf("%w\n--include-invalid shows what there is", err)
		}
		return usage(err)
	}
	runs := sourcesOf(set.Groups...)
	var faults []error
	for _, run := range runs {
		faults = append(faults, experiment.WriteDerived(run.Dir, run.Summary))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	drawings, err := r.draw(notice, runs)
	if err != nil {
		return err
	}
	page := r.page(commonFolder(runs))
	g := report.Groups{Set: set, Drawings: drawings, Argv: redactedArgv(cmd.Context()), Folder: filepath.Dir(page), Course: r.course}
	if err := writeFile(page, func(w io.Writer) error { return report.GroupsHTML(w, g) }); err != nil {
		return err
	}
	if r.asJSON || r.asCSV {
		c, err := compare.Compare(set, compare.Options{})
		if err != nil {
			return err
		}
		if r.asCSV {
			return report.CompareCSV(out, c)
		}
		return writeJSON(out, c)
	}
	text, err := report.GroupsText(g, textOptions(out))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\nreport  %s\n", text, page)
	return err
}

// sourcesOf are the trials of groups, with the summaries that were made of them.
func sourcesOf(groups ...*compare.Group) (out []figures.Source) {
	for _, g := range groups {
		for _, t := range g.Trials {
			out = append(out, figures.Source{Dir: t.Dir, Summary: t.Summary})
		}
	}
	return out
}

// draw draws the figures of runs, and writes them too where that is asked for.
func (r *reportFlags) draw(notice io.Writer, runs []figures.Source) ([]report.Drawing, error) {
	drawings, err := drawRuns(runs, nil, r.figures)
	if r.figures != "" && len(drawings) > 0 {
		names := make([]string, len(drawings))
		for i, d := range drawings {
			names[i] = d.Name
		}
		fmt.Fprintf(notice, "figures in %s: %s\n", r.figures, strings.Join(names, ", "))
	}
	return drawings, err
}

// drawRuns draws figures of runs, all of them or those named, and writes them to
// a folder unless that is empty.
func drawRuns(from []figures.Source, names []string, folder string) (out []report.Drawing, err error) {
	if len(from) == 0 {
		return nil, nil
	}
	runs, err := figures.LoadAll(from)
	if err != nil {
		return nil, err
	}
	drawn, err := figures.DrawAll(runs, names...)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		if _, err := figures.WriteAll(folder, drawn); err != nil {
			return nil, err
		}
	}
	for _, d := range drawn {
		svg, e := d.SVG()
		err = errors.Join(err, e)
		out = append(out, report.Drawing{Name: d.Name, Help: d.Help, SVG: svg})
	}
	return out, err
}

// writeFile writes through a temporary name, so that a page that could not be
// finished replaces no other, and makes the folder.
func writeFile(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return rundir.ReplaceWith(filepath.Dir(path), filepath.Base(path), write)
}

// commonFolder is the deepest one that holds all of the directories.
func commonFolder(runs []figures.Source) string {
	folder := filepath.Dir(runs[0].Dir)
	for _, run := range runs[1:] {
		for rel, err := filepath.Rel(folder, run.Dir); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)); rel, err = filepath.Rel(folder, run.Dir) {
			up := filepath.Join(folder, "..")
			if up == folder {
				return "."
			}
			folder = up
		}
	}
	return folder
}
