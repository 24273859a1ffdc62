package cluster

import (
	_ "embed" // of the scripts
	"strings"

	"edgebench/loadgen/cluster/remote"
)

// What is done on a machine is done by these, for any POSIX shell.
var (
	//go:embed scripts/probe.sh
	probeText string
	//go:embed scripts/place.sh
	placeText string
	//go:embed scripts/start.sh
	startText string
	//go:embed scripts/stop.sh
	stopText string
	//go:embed scripts/list.sh
	listText string
	//go:embed scripts/doctor.sh
	doctorText string
)

func script(name, text string) remote.Script { return remote.Script{Name: name, Text: text} }

// said are the lines KEY=VALUE of a script. Other lines are of the login shell's
// start-up files.
func said(output string) map[string][]string {
	values := map[string][]string{}
	for line := range strings.Lines(output) {
		if key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			values[key] = append(values[key], value)
		}
	}
	return values
}

// last is the last value of a key, "" for none.
func last(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}
