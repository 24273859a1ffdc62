package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"edgebench/loadgen/cluster/remote"
	"edgebench/monitor/doctor"
)

// doctorFailed is the exit code of a doctor that found something failing (DESIGN.md).
const doctorFailed = 2

// A Diagnosis is what the doctor of a node found.
type Diagnosis struct {
	Level  doctor.Level    `json:"level"`
	Checks []doctor.Result `json:"checks"`
	// Changes are what was set or put back there, as the node's doctor has it.
	Changes []json.RawMessage `json:"changes,omitempty"`
}

// Doctor asks the node's own loadgen what would spoil a run there. asRoot is for
// arguments that change the host.
func Doctor(ctx context.Context, s *Session, asRoot bool, args ...string) (Diagnosis, error) {
	s.tell("examining")
	as := "user"
	if asRoot {
		as = "root"
	}
	out, err := s.Host.Run(ctx, script("doctor", doctorText), append([]string{s.Folder, as}, args...)...)
	failed, ran := errors.AsType[*remote.CommandError](err)
	if err != nil && (!ran || failed.Code != doctorFailed || out == "") {
		if ran && failed.Code == 127 {
			err = fmt.Errorf("%w (loadgen cluster push brings the program)", err)
		}
		return Diagnosis{}, err
	}
	var d Diagnosis
	// Start-up files of the login shell may have said something before.
	if begin := strings.IndexByte(out, '{'); begin >= 0 {
		out = out[begin:]
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		return Diagnosis{}, fmt.Errorf("doctor: %w in %.80q", err, out)
	}
	return d, nil
}
