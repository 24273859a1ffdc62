package monitor

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
)

// children appends the pids of a process's children to dst, with buf to read
// in. The kernel keeps them by thread, so every thread is asked. A list may
// lack a child when a sibling ends during the read (proc_pid_tid_children(5)):
// a later sweep finds it, and who was found once is not forgotten.
func (f FS) children(dst []int, buf []byte, pid, threads int) ([]int, error) {
	folder := f.of(pid, "task/")
	if threads == 1 { // the only thread has the process's number: nothing to list
		return threadChildren(dst, buf, folder+strconv.Itoa(pid)+"/children")
	}
	tids, err := names(folder)
	if err != nil {
		return dst, err
	}
	for _, tid := range tids {
		dst, err = threadChildren(dst, buf, folder+tid+"/children")
		if err != nil && !vanished(err) { // a thread may end meanwhile
			return dst, err
		}
	}
	return dst, nil
}

// names lists a folder in the kernel's order. os.ReadDir would sort.
func names(folder string) ([]string, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func threadChildren(dst []int, buf []byte, path string) ([]int, error) {
	var list file
	if err := list.open(path); err != nil {
		return dst, err
	}
	defer list.close()
	text, err := list.readLong(buf)
	if err != nil {
		return dst, err
	}
	return parseChildren(dst, path, text)
}

func parseChildren(dst []int, path string, text []byte) ([]int, error) {
	for {
		var field []byte
		field, text = nextField(text)
		if len(field) == 0 {
			return dst, nil
		}
		pid, ok := number(field)
		if !ok || pid == 0 {
			return dst, malformed(path, field, "a pid")
		}
		dst = append(dst, int(pid))
	}
}

// hasChildren reports whether this kernel lists children
// (CONFIG_PROC_CHILDREN), asked of a process that exists.
func (f FS) hasChildren(pid int) bool {
	_, err := os.Stat(f.of(pid, "task/"+strconv.Itoa(pid)+"/children"))
	return !errors.Is(err, fs.ErrNotExist)
}

// parents scans all processes for their parents, the way without
// CONFIG_PROC_CHILDREN. Its cost grows with the host's processes, not ours.
func (f FS) parents() (map[int][]int, error) {
	entries, err := names(f.proc)
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, entry := range entries {
		pid, ok := number([]byte(entry))
		if !ok {
			continue
		}
		path := f.of(int(pid), "stat")
		text, err := os.ReadFile(path)
		if err != nil { // ended since the listing, or hidden (hidepid): not ours to see
			continue
		}
		s, err := parseStat(path, bytes.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		children[s.ppid] = append(children[s.ppid], s.pid)
	}
	return children, nil
}
