package engine

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport/transporttest"
)

// C57: 64 files, and 2000 requests/s to a target that answers none of them.
func TestFilesExhausted(t *testing.T) {
	t.Parallel()
	address := ""
	if os.Getenv(childVariable) == "" {
		address = transporttest.Serve(t, silent).Address()
	}
	inChild(t, nil, address, func(t *testing.T, address string) {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: 64}); err != nil {
			t.Fatal(err)
		}
		c := Config{Schedule: steps(t, 200*time.Millisecond, 2000), Open: to(t, address, time.Minute)}

		// By default the bound in flight follows from the limit, and says so.
		res := play(t, t.Context(), c)
		open, exhausted := res.Total.OpenAtEnd(), res.Total.Drops[rundir.DropFDExhausted]
		if open == 0 || open+exhausted != 400 || open != uint64(res.MaxInFlight) {
			t.Errorf("%d open, %d at most, dropped %v, errors %v", open, res.MaxInFlight, res.Total.DroppedByReason(), res.Total.ErrorsByClass())
		}
		if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "64 open files") {
			t.Errorf("warnings %q", res.Warnings)
		}

		// A bound of one's own above the limit meets the kernel's refusal.
		c.MaxInFlight = 1000
		res = play(t, t.Context(), c)
		open, exhausted = res.Total.OpenAtEnd(), res.Total.Drops[rundir.DropFDExhausted]
		if open == 0 || open >= 64 || open+exhausted != 400 || len(res.Warnings) != 1 {
			t.Errorf("%d open, dropped %v, errors %v, warnings %q", open, res.Total.DroppedByReason(), res.Total.ErrorsByClass(), res.Warnings)
		}
	})
}

// A network of its own with 10 local ports, and requests that all stay open.
func TestLocalPortsExhausted(t *testing.T) {
	t.Parallel()
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if os.Getuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
	}
	if os.Getenv(childVariable) == "" {
		probe := exec.Command("/proc/self/exe", "-test.run=^$")
		probe.SysProcAttr = attr
		if err := probe.Run(); err != nil {
			t.Skipf("no network namespace can be made here: %v", err)
		}
	}
	inChild(t, attr, "", func(t *testing.T, _ string) {
		raiseLoopback(t)
		server := transporttest.Serve(t, silent)
		const ports = 10
		if err := os.WriteFile("/proc/sys/net/ipv4/ip_local_port_range", []byte("40000 40009"), 0); err != nil {
			t.Fatal(err)
		}
		res := play(t, t.Context(), Config{Schedule: steps(t, 100*time.Millisecond, 1000), Open: to(t, server.Address(), time.Minute)})
		open, exhausted := res.Total.OpenAtEnd(), res.Total.Drops[rundir.DropLocalPortExhausted]
		if open == 0 || open > ports || open+exhausted != 100 {
			t.Errorf("%d open, dropped %v, errors %v", open, res.Total.DroppedByReason(), res.Total.ErrorsByClass())
		}
	})
}

// raiseLoopback brings up lo, which is down in a new network.
func raiseLoopback(t *testing.T) {
	t.Helper()
	if lo, err := net.InterfaceByName("lo"); err == nil && lo.Flags&net.FlagUp != 0 {
		t.Fatal("not in a network of its own") // the next step would narrow everybody's ports
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		t.Fatal(err)
	}
}
