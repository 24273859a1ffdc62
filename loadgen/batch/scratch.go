package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Desk is a worker's own folder, for what it is at.
type Desk struct {
	dir  string
	lock *os.File
}

// OwnDesk makes dir this worker's, with nothing of an earlier life in it, and
// refuses one that another worker uses.
func OwnDesk(dir string) (*Desk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := lockFileOf(dir)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: another worker uses it", dir)
	}
	if err != nil {
		return nil, err
	}
	d := &Desk{dir, lock}
	if err := os.RemoveAll(d.Attempts()); err != nil {
		lock.Close()
		return nil, err
	}
	return d, nil
}

// Attempts is where trials in progress go.
func (d *Desk) Attempts() string { return filepath.Join(d.dir, attemptsDir) }

// Close removes what is the worker's; a folder with other files in it stays.
func (d *Desk) Close() error {
	err := os.RemoveAll(d.Attempts())
	os.Remove(filepath.Join(d.dir, lockFile))
	os.Remove(d.dir)
	return errors.Join(err, d.lock.Close())
}

// scratch is a fresh folder for one attempt.
func scratch(parent, trial string, attempt int) (string, error) {
	dir := filepath.Join(parent, fmt.Sprintf("%s-a%d", trial, attempt))
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o777)
}
