package worker

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Names of our processes: argv[0], by which Main knows what it was started as,
// and the comm by which a monitor tells them apart.
const (
	WorkerName   = "edge-worker"
	TemplateName = "edge-template"
)

// Main must come first in main (and in TestMain of tests that start workers): in
// a process that was started as a template or as a worker it runs that and
// never returns, in any other it does nothing.
func Main() {
	var run func(heap []byte) error
	switch os.Args[0] {
	case TemplateName:
		run = runTemplate
	case WorkerName:
		run = runWorker
	default:
		return
	}
	if err := runNamed(os.Args[0], os.Args[1:], run); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runNamed makes the process look like what it is and gives it its heap. The
// one argument is the heap's size in bytes.
func runNamed(name string, args []string, run func(heap []byte) error) error {
	if err := setName(name); err != nil {
		return err
	}
	if len(args) != 1 {
		return fmt.Errorf("arguments %q: want the heap's size in bytes", args)
	}
	size, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return fmt.Errorf("heap size: %w", err)
	}
	heap, err := touchedHeap(size)
	if err != nil {
		return err
	}
	return run(heap)
}

func setName(name string) error {
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	err = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(text)), 0, 0, 0)
	return os.NewSyscallError("prctl PR_SET_NAME", err)
}
