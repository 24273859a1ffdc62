package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"edgebench/analysis"
	"edgebench/analysis/report"
)

// ciFlags are the files that a CI system reads.
type ciFlags struct{ junit, markdown string }

func (c *ciFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.junit, "junit", "", "file for the verdict and the thresholds as JUnit test cases")
	f.StringVar(&c.markdown, "markdown", "", "file that a summary in GitHub's markdown is appended to, for example \"$GITHUB_STEP_SUMMARY\"")
}

// begin sees that the files can be written, before anything is sent. From then
// on the JUnit file is that of this run: one of an earlier run, left there by a
// run that was killed, would be read as this one's.
func (c *ciFlags) begin(profile string) error {
	if err := c.writeJUnit(func(w io.Writer) error {
		return report.JUnitNoRun(w, profile, "the run did not end")
	}); err != nil {
		return exitError{exitUsage, fmt.Errorf("--junit: %w", err)}
	}
	if err := c.appendMarkdown(func(io.Writer) error { return nil }); err != nil {
		return exitError{exitUsage, fmt.Errorf("--markdown: %w", err)}
	}
	return nil
}

// end writes the result; s is nil for a run without one, and failure says why.
func (c *ciFlags) end(profile string, s *analysis.Summary, failure error) error {
	if s == nil {
		why := cmp.Or(failure, errors.New("no result")).Error()
		return errors.Join(
			c.writeJUnit(func(w io.Writer) error { return report.JUnitNoRun(w, profile, why) }),
			c.appendMarkdown(func(w io.Writer) error { return report.MarkdownNoRun(w, profile, why) }),
		)
	}
	return errors.Join(
		c.writeJUnit(func(w io.Writer) error { return report.JUnit(w, s) }),
		c.appendMarkdown(func(w io.Writer) error { return report.Markdown(w, s) }),
	)
}

func (c *ciFlags) writeJUnit(write func(io.Writer) error) error {
	if c.junit == "" {
		return nil
	}
	return writeFile(c.junit, write)
}

// appendMarkdown appends: a job's summary is made by several commands.
func (c *ciFlags) appendMarkdown(write func(io.Writer) error) error {
	if c.markdown == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.markdown), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(c.markdown, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
