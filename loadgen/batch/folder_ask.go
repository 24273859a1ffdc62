package batch

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/nats-io/nuid"
	"golang.org/x/sys/unix"
)

// requestsDir holds requests to the coordinator of the folder, one a file: so it
// is reached without a port.
const requestsDir = "requests"

// Ask leaves a request for the coordinator of the folder.
func (f Folder) Ask(r Request) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	dir := filepath.Join(f.dir, requestsDir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(dir, nuid.Next())
	if err := os.WriteFile(path, data, 0o666); err != nil {
		return err
	}
	return os.Rename(path, path+".json") // whole from the moment it has its name
}

// Isolated is nil for a node in quarantine, and ErrNotIsolated for another.
func (f Folder) Isolated(node string) error {
	events, err := f.Events()
	if err != nil {
		return err
	}
	return isolated(node, Quarantined(events))
}

// asked takes the requests that were left.
func (f Folder) asked() ([]Request, error) {
	paths, err := filepath.Glob(filepath.Join(f.dir, requestsDir, "*.json"))
	var requests []Request
	for _, path := range paths {
		data, readErr := os.ReadFile(path)
		var r Request
		if readErr == nil && json.Unmarshal(data, &r) == nil {
			requests = append(requests, r)
		}
		err = errors.Join(err, readErr, os.Remove(path))
	}
	return requests, err
}

// Busy reports whether a coordinator is at work in the folder.
func (f Folder) Busy() (bool, error) {
	release, err := f.Lock()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	release()
	return false, nil
}
