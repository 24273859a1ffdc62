package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "write manual pages, one a command",
		Long: `man writes a manual page for each command into a folder, made when it is not there.
Where man looks for them: man --path, for one user ~/.local/share/man/man1.`,
		Example: "  loadgen man ~/.local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return exitError{exitUsage, err}
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // the same version, the same pages
			root.InitDefaultHelpCmd()
			root.InitDefaultCompletionCmd()
			header := &doc.GenManHeader{Title: "LOADGEN", Section: "1", Source: "loadgen " + version, Manual: "edgebench"}
			if err := doc.GenManTree(root, header, dir); err != nil {
				return exitError{exitUsage, err}
			}
			pages, err := filepath.Glob(filepath.Join(dir, "loadgen*.1"))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d pages written to %s; loadgen.1 is the first\n", len(pages), dir)
			return err
		},
	}
}
