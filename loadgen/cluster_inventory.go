package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"edgebench/loadgen/cluster"
	"edgebench/loadgen/cluster/rspec"
	"edgebench/profiles"
)

func newClusterInventory() *cobra.Command {
	var (
		user, out, name string
		force, asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "inventory MANIFEST...",
		Short: "an inventory of a CloudLab experiment, from its manifests",
		Long: `inventory reads manifests in GENI's RSpec format, version 3 (on the experiment's
page under "Manifest"; one for each site), and writes the file that the other
commands of cluster want. It is meant to be read and edited: who logs in, on which
port, which address is on the experiment's network, what role a node has.

For machines that are no CloudLab's write such a file by hand; name, host and a user
are enough:

  user: me
  nodes:
    - {name: a, host: a.example.org}
    - {name: b, host: b.example.org, port: 2222, address: 10.0.0.2, role: target}`,
		Example: `  loadgen cluster inventory manifest.xml --user alice
  loadgen cluster inventory utah.xml clemson.xml --user alice --out two-sites.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var nodes []rspec.Node
			var faults []error
			for _, path := range args {
				data, err := os.ReadFile(path)
				if err == nil {
					var found []rspec.Node
					found, err = rspec.Parse(path, data)
					nodes = append(nodes, found...)
				}
				faults = append(faults, err)
			}
			if err := errors.Join(faults...); err != nil {
				return exitError{exitUsage, err}
			}
			if name == "" {
				name = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
			}
			inv, notes, err := cluster.FromManifest(name, nodes, user)
			for _, note := range notes {
				fmt.Fprintf(cmd.ErrOrStderr(), "note %s\n", note)
			}
			if err != nil {
				return exitError{exitUsage, err}
			}
			return writeInventory(cmd, inv, out, force, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&user, "user", "", "who logs in (needed where several people can)")
	f.StringVar(&out, "out", "inventory.yaml", "file to write, - for standard output")
	f.StringVar(&name, "name", "", "name of the experiment (default: the manifest's file name)")
	f.BoolVar(&force, "force", false, "replace a file that is there")
	f.BoolVar(&asJSON, "json", false, "print the inventory as JSON")
	return cmd
}

func writeInventory(cmd *cobra.Command, inv *profiles.Inventory, out string, force, asJSON bool) error {
	text := inv.YAML()
	// What was made of a stranger's file has to be what the other commands accept.
	if _, err := profiles.ParseInventory(out, text); err != nil {
		return exitError{exitUsage, err}
	}
	if out == "-" {
		_, err := cmd.OutOrStdout().Write(text)
		return err
	}
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(out, mode, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return exitError{exitUsage, fmt.Errorf("%s is there already, maybe edited: --force replaces it, --out writes elsewhere", out)}
	}
	if err != nil {
		return exitError{exitUsage, err}
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), inv)
	}
	printInventory(cmd.OutOrStdout(), inv)
	fmt.Fprintf(cmd.OutOrStdout(), "\nwritten to %s\n", out)
	return nil
}

func printInventory(out io.Writer, inv *profiles.Inventory) {
	fmt.Fprintf(out, "%s   %d nodes, user %s\n\n", inv.Name, len(inv.Nodes), inv.User)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "node\trole\tssh\taddress\tsite\ttype")
	for _, n := range inv.Nodes {
		fmt.Fprintf(w, "%s\t%s\t%s port %d\t%s\t%s\t%s\n", n.Name, n.Role, n.Host, n.Port, dash(n.Address), dash(n.Site), dash(n.Type))
	}
	w.Flush()
}

func dash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
