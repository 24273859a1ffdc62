package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"edgebench/analysis/export"
	"edgebench/analysis/rundir"
)

func newExport() *cobra.Command {
	var parquetFile, csvFile string
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "write every request of a run for other programs, as Parquet or CSV",
		Long: `export writes one row a request, with names in place of numbers and every instant
and time spelled out in ns. It streams: memory does not grow with the run.`,
		Example: `  loadgen export RUN --parquet requests.parquet
  loadgen export RUN --csv - | head                - is stdout`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if parquetFile == "" && csvFile == "" {
				return exitError{exitUsage, errors.New("want --parquet FILE or --csv FILE")}
			}
			if parquetFile == "-" && csvFile == "-" {
				return exitError{exitUsage, errors.New("--parquet - and --csv -: only one of them can be stdout")}
			}
			for _, to := range []struct {
				file  string
				write func(string, io.Writer) (rundir.ReadNotes, error)
			}{{parquetFile, export.Parquet}, {csvFile, export.CSV}} {
				if to.file == "" {
					continue
				}
				notes, err := exportTo(to.file, cmd.OutOrStdout(), args[0], to.write)
				if err != nil {
					return err
				}
				for _, w := range notes.Warnings(rundir.SamplesFile) {
					fmt.Fprintf(cmd.ErrOrStderr(), "loadgen: warning: %s\n", w)
				}
				if to.file != "-" {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s: %d requests\n", to.file, notes.Rows)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&parquetFile, "parquet", "", "Parquet file to write; - is stdout")
	cmd.Flags().StringVar(&csvFile, "csv", "", "CSV file to write; - is stdout")
	return cmd
}

// exportTo writes a file whole or not at all.
func exportTo(file string, stdout io.Writer, dir string, write func(string, io.Writer) (rundir.ReadNotes, error)) (notes rundir.ReadNotes, err error) {
	if file == "-" {
		return write(dir, stdout)
	}
	err = rundir.ReplaceWith(filepath.Dir(file), filepath.Base(file), func(w io.Writer) (err error) {
		notes, err = write(dir, w)
		return err
	})
	if named, ok := errors.AsType[*os.PathError](err); ok && named.Path == filepath.Clean(file) {
		return notes, exitError{exitUsage, err} // a folder that is not there, for example
	}
	return notes, err
}
