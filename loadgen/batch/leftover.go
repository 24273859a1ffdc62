package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// markVariable is in the environment of every process of a run, and handed on to
// those it starts: what still has it between two trials was left behind.
const markVariable = "EDGEBENCH_RUN_OF"

// clearPatience bounds the wait for a killed process to be gone.
const clearPatience = 10 * time.Second

// clearMarked kills the processes with a mark, waits until they are gone, and
// names them. One that stays makes an error.
func clearMarked(ctx context.Context, proc, mark string) (ended []string, err error) {
	pids, err := marked(proc, mark)
	for _, pid := range pids {
		name, killErr := endProcess(ctx, proc, pid)
		if name != "" {
			ended = append(ended, name)
		}
		err = errors.Join(err, killErr)
	}
	return ended, err
}

// marked lists processes by their environment. Those of other users cannot be
// read, and are not ours.
func marked(proc, mark string) ([]int, error) {
	paths, err := filepath.Glob(filepath.Join(proc, "[0-9]*"))
	if err != nil {
		return nil, err
	}
	entry := append([]byte(markVariable+"="+mark), 0)
	var pids []int
	for _, path := range paths {
		environ, err := os.ReadFile(filepath.Join(path, "environ"))
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), append([]byte{0}, entry...)) {
			continue // it ended, or is somebody else's
		}
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

func endProcess(ctx context.Context, proc string, pid int) (name string, err error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return "", nil
	}
	if err != nil {
		return "", os.NewSyscallError("pidfd_open", err)
	}
	defer unix.Close(fd)
	command, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "cmdline"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	name = fmt.Sprintf("%d (%s)", pid, bytes.TrimSpace(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return "", os.NewSyscallError("pidfd_send_signal "+name, err)
	}
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} // readable once it has ended
	for until := time.Now().Add(clearPatience); time.Now().Before(until) && ctx.Err() == nil; {
		if n, err := unix.Poll(poll, 100); n > 0 {
			return name, nil
		} else if err != nil && !errors.Is(err, unix.EINTR) {
			return "", os.NewSyscallError("poll", err)
		}
	}
	return "", fmt.Errorf("process %s was left behind by an earlier run and does not end", name)
}
