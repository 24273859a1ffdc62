package main

import (
	"fmt"
	"io"

	"edgebench/profiles/arrival"
	"edgebench/profiles/arrival/trace"
)

// listRecorded names the arrivals that take the place of rates.
func listRecorded(w io.Writer) {
	fmt.Fprintln(w, "\nrecorded, in place of rates; phases are optional then")
	fmt.Fprintln(w, "times\tinstants one by one: {times: [0s, 250ms]} or {times: {file: NAME, speed: 2}}, a duration or timestamp a line")
	fmt.Fprintln(w, "replay\tthe schedule of an earlier run: {replay: {run: DIR, speed: 2, scale: 0.5}}")
	for _, f := range trace.Formats() {
		fmt.Fprintf(w, "trace: {%s: {…}}\t%s\n", f.Name, f.Help)
		for _, file := range f.Files {
			help := file.Help
			if file.Optional {
				help += " (optional)"
			}
			fmt.Fprintf(w, "  %s\t  %s\n", file.Key, help)
		}
	}
	fmt.Fprintln(w, "beside a trace's format: select, from, for, speed, scale; where calls are counted by column, column (1m), shift (true) and spacing:")
	for _, s := range arrival.Spacings() {
		fmt.Fprintf(w, "  %s\t  %s\n", s.Name, s.Help)
	}
}
