package repair

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An area is a line of /proc/swaps.
type area struct {
	path     string
	priority int
}

// on is its state as a change records it.
func (a area) on() string { return fmt.Sprintf("on, priority %d", a.priority) }

func (h Host) swaps() ([]area, error) {
	name := h.path("proc/swaps")
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var areas []area
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Fields(line)
		if i == 0 || len(fields) == 0 {
			continue // the heads of the columns
		}
		if len(fields) != 5 {
			return nil, fmt.Errorf("%s: %.80q: want five columns", name, line)
		}
		priority, err := strconv.Atoi(fields[4])
		if err != nil {
			return nil, fmt.Errorf("%s: %.80q: want a priority last", name, line)
		}
		areas = append(areas, area{strings.ReplaceAll(fields[0], `\040`, " "), priority})
	}
	return areas, nil
}

func (h Host) setSwap(path string, to *string) error {
	areas, err := h.swaps()
	if err != nil {
		return err
	}
	is := "off"
	for _, a := range areas {
		if a.path == path {
			is = a.on()
		}
	}
	swaps := h.Swaps
	if swaps == nil {
		swaps = kernelSwaps{}
	}
	switch {
	case is == deref(to):
		return nil
	case deref(to) == "off":
		return swaps.Off(path)
	}
	var priority int
	if _, err := fmt.Sscanf(deref(to), "on, priority %d", &priority); err != nil {
		return fmt.Errorf("%q is no state of a swap area", deref(to))
	}
	return swaps.On(path, priority)
}

type kernelSwaps struct{}

// preferred is SWAP_FLAG_PREFER of swapon(2); its low 15 bits are the priority.
const preferred = 0x8000

func (kernelSwaps) Off(path string) error {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_SWAPOFF, uintptr(unsafe.Pointer(p)), 0, 0); errno != 0 {
		return os.NewSyscallError("swapoff", errno)
	}
	return nil
}

func (kernelSwaps) On(path string, priority int) error {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	flags := uintptr(0)
	if priority >= 0 {
		flags = preferred | uintptr(priority)
	}
	if _, _, errno := unix.Syscall(unix.SYS_SWAPON, uintptr(unsafe.Pointer(p)), flags, 0); errno != 0 {
		return os.NewSyscallError("swapon", errno)
	}
	return nil
}
