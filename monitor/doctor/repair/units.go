package repair

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// systemctl is the Units of a host that systemd started.
type systemctl struct{}

func (systemctl) State(name string) (string, error) {
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return "", nil // no systemd, no units
	}
	out, err := run("show", "--property=LoadState,ActiveState", name)
	if err != nil {
		return "", err
	}
	values := map[string]string{}
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[key] = value
	}
	switch values["LoadState"] {
	case "not-found":
		return "", nil
	case "masked":
		return "masked", nil
	}
	return values["ActiveState"], nil
}

// Set masks until the next boot only, and unmasks before anything else.
func (u systemctl) Set(name, state string) error {
	if state == "masked" {
		_, err := run("mask", "--runtime", "--now", name)
		return err
	}
	now, err := u.State(name)
	if err != nil {
		return err
	}
	if now == "masked" {
		if _, err := run("unmask", "--runtime", name); err != nil {
			return err
		}
	}
	verb := "stop"
	if state == "active" {
		verb = "start"
	}
	_, err = run(verb, name)
	return err
}

func run(args ...string) (string, error) {
	out, err := exec.Command("systemctl", args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("systemctl %s: %v: %s", strings.Join(args, " "), failed, strings.TrimSpace(string(failed.Stderr)))
	}
	return string(out), err
}
