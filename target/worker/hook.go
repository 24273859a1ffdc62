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
	var run func(equipment) error
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

// An equipment is what a process of ours has before it is ready.
type equipment struct {
	heap []byte
	work string
}

// runNamed makes the process look like what it is and equips it. The arguments
// are the heap's size in bytes and the kind of work.
func runNamed(name string, args []string, run func(equipment) error) error {
	if err := setName(name); err != nil {
		return err
	}
	if len(args) != 2 {
		return fmt.Errorf("arguments %q: want the heap's size in bytes and the kind of work", args)
	}
	size, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return fmt.Errorf("heap size: %w", err)
	}
	heap, err := touchedHeap(size)
	if err != nil {
		return err
	}
	return run(equipment{heap: heap, work: args[1]})
}

func setName(name string) error {
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	err = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(text)), 0, 0, 0)
	return os.NewSyscallError("prctl PR_SET_NAME", err)
}
