package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"edgebench/analysis/report"
)

// textOptions are those of where a result goes.
func textOptions(out io.Writer) report.TextOptions {
	return report.TextOptions{Colour: colours(out), Width: widthOf(out)}
}

// colours reports whether escape codes are welcome on w.
func colours(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// widthOf a terminal; a file gets the default.
func widthOf(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return report.DefaultWidth
}
