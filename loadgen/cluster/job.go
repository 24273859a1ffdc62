package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Job is a command line that goes on when the login ends.
type Job struct {
	Name  string   // of its folder of log and record, and of its unit
	Argv  []string // program first; relative paths are below the node's folder
	Ready string   // text in its log that says it is up
	How   How
}

// How a job is kept: as a systemd unit, or as a session of its own.
type How string

// Ways to keep a job.
const (
	Auto    How = "auto" // a unit where sudo asks for no password
	Systemd How = "systemd"
	Setsid  How = "setsid"
)

// Start starts a job and waits until its log says that it is ready. One that runs
// already, with the same arguments, is left alone.
func Start(ctx context.Context, s *Session, j Job) (did string, err error) {
	s.tell("starting " + j.Name)
	how := j.How
	if how == "" {
		how = Auto
	}
	node, err := s.run(ctx, "start", startText, append([]string{j.Name, string(how), j.Ready}, j.Argv...)...)
	if err != nil {
		return "", err
	}
	switch last(node["state"]) {
	case "already":
		return j.Name + " runs already", nil
	case "over":
		return j.Name + " came up and has ended: there was nothing to do", nil
	}
	return fmt.Sprintf("%s started (%s, pid %s)", j.Name, last(node["how"]), last(node["pid"])), nil
}

// Stop ends jobs in the order given, each with grace to end in order, and then
// looks whether a program of ours is left: that is an error, and is not ended when
// it was not started by Start.
func Stop(ctx context.Context, s *Session, grace time.Duration, jobs ...string) (did string, err error) {
	var ended, left []string
	for _, name := range jobs {
		s.tell("stopping " + name)
		node, err := s.run(ctx, "stop", stopText, name, strconv.Itoa(int(grace.Seconds())))
		if err != nil {
			return "", err
		}
		switch last(node["state"]) {
		case "stopped":
			ended = append(ended, name+" ended")
		case "killed":
			ended = append(ended, fmt.Sprintf("%s killed after %v", name, grace))
		}
		left = node["left"]
	}
	if len(left) > 0 {
		return "", fmt.Errorf("still there, not started from here and left alone: %s", strings.Join(left, ", "))
	}
	if len(ended) == 0 {
		return "nothing ran", nil
	}
	return strings.Join(ended, ", "), nil
}
