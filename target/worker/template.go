package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// errTemplateEnded means that the template cannot fork any more.
var errTemplateEnded = errors.New("template ended")

// A template is the node's side of a template process.
type template struct {
	process  *process
	control  *os.File
	turn     chan struct{} // holds one token: the template forks one worker at a time
	last     uint64        // id of the last command; guarded by turn
	patience time.Duration // how long a fork may take before the template counts as hung
}

// spawn has the template fork a worker that owns a copy of socket. Once the command
// is sent, ctx no longer counts: the reply alone tells the pid to reap.
func (t *template) spawn(ctx context.Context, socket int) (pid int, err error) {
	select {
	case <-t.turn:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { t.turn <- struct{}{} }()
	if err := t.control.SetDeadline(time.Now().Add(t.patience)); err != nil {
		return 0, t.failed(err)
	}
	t.last++
	if err := sendFD(t.control, binary.NativeEndian.AppendUint64(nil, t.last), socket); err != nil {
		return 0, t.failed(err)
	}
	var buf [replySize]byte
	n, err := t.control.Read(buf[:])
	if err != nil {
		return 0, t.failed(err)
	}
	id := binary.NativeEndian.Uint64(buf[:])
	pid = int(int32(binary.NativeEndian.Uint32(buf[8:])))
	errno := syscall.Errno(binary.NativeEndian.Uint32(buf[12:]))
	switch {
	case n != replySize || id != t.last:
		return 0, t.failed(fmt.Errorf("%w: reply of %d bytes to command %d while %d was sent", ErrProtocol, n, id, t.last))
	case errno != 0:
		return 0, os.NewSyscallError("clone", errno)
	}
	return pid, nil
}

// failed ends a template that cannot be talked to. Workers it has forked are the
// node's children and go on.
func (t *template) failed(err error) error {
	t.process.kill()
	<-t.process.done
	if isClosed(err) {
		return fmt.Errorf("%w: %v", errTemplateEnded, t.process.exit)
	}
	return fmt.Errorf("%w: %w", errTemplateEnded, err)
}
