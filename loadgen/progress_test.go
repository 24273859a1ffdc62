package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo-terminal of the given width.
func openTerminal(t *testing.T, width uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(os.NewSyscallError("TIOCSPTLCK", err))
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(os.NewSyscallError("TIOCGPTN", err))
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}); err != nil {
		t.Fatal(os.NewSyscallError("TIOCSWINSZ", err))
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close(); slave.Close() })
	return master, slave
}

func TestProgressLineOnATerminal(t *testing.T) {
	t.Parallel()
	const width = 60
	master, slave := openTerminal(t, width)
	c := loadgen(t, tiny, "run", "p.yaml")
	c.Stderr = slave
	c.Env = append(os.Environ(), "TERM=xterm", "CI=", "NO_COLOR=1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	screen := make(chan string)
	go func() {
		all, _ := io.ReadAll(master) // ends with EIO when the last writer is gone
		screen <- string(all)
	}()
	c.wantCode(t, c.code(t, c.Wait()), exitOK, exitInvalid)
	text := <-screen
	if strings.Contains(text, "\x1b") {
		t.Errorf("escape codes with NO_COLOR: %q", text)
	}
	drawn := strings.Split(text, "\r")
	if !strings.Contains(text, " left  ") {
		t.Errorf("no progress on a terminal: %q", text)
	}
	for _, line := range drawn {
		if strings.HasPrefix(strings.TrimSpace(line), "warning ") {
			continue // what the host has against the run; it may wrap
		}
		if n := len([]rune(line)); n >= width {
			t.Errorf("%d columns on a terminal of %d: %q", n, width, line)
		}
	}
	if last := drawn[len(drawn)-1]; strings.TrimSpace(last) != "" {
		t.Errorf("the line is not cleared at the end: %q", last)
	}
}

func TestProgressLineIsSilentElsewhere(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := newProgressLine(&b, false)
	p.show("half way")
	p.clear()
	if b.Len() > 0 {
		t.Errorf("wrote %q to something that is no terminal", b.String())
	}
}
