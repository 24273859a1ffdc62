package worker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// eachWork runs a test for every runtime with every kind of work it takes.
func eachWork(t *testing.T, f func(t *testing.T, kind, work string)) {
	for _, work := range Works() {
		for _, kind := range Names() {
			if Check(kind, Options{Work: work}) != nil {
				continue
			}
			t.Run(kind+"/"+work, func(t *testing.T) {
				t.Parallel()
				installed(t, kind, work)
				f(t, kind, work)
			})
		}
	}
}

// cpuTime is what a process has burned, by its own CPU clock (see
// clock_getcpuclockid: the pid's complement, shifted, with bits for "process, scheduled").
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &now); err != nil {
		t.Fatal(os.NewSyscallError("clock_gettime", err))
	}
	return time.Duration(now.Nano())
}

func TestWorkTakesTheServiceTime(t *testing.T) {
	t.Parallel()
	const service = 30 * time.Millisecond
	eachWork(t, func(t *testing.T, kind, work string) {
		w := start(t, open(t, kind, Options{Work: work}))
		if _, err := w.Do(Request{}); err != nil {
			t.Fatal(err)
		}
		before := cpuTime(t, w.PID)
		got, err := w.Do(Request{Service: service})
		if err != nil {
			t.Fatal(err)
		}
		burned := cpuTime(t, w.PID) - before
		if got.Service < service {
			t.Errorf("took %v, asked for %v", got.Service, service)
		}
		switch {
		case work == Sleep && burned > service/2:
			t.Errorf("sleeping burned %v of CPU time", burned)
		case work != Sleep && burned < service:
			t.Errorf("burned %v of CPU time, want %v", burned, service)
		case work == CPU && burned > 2*service:
			t.Errorf("burned %v of CPU time for %v", burned, service)
		}
	})
}

// Without a service time image work is one resize: more than nothing.
func TestOneResize(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"exec", "python"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			installed(t, kind, Image)
			w := start(t, open(t, kind, Options{Work: Image}))
			before := cpuTime(t, w.PID)
			if _, err := w.Do(Request{}); err != nil {
				t.Fatal(err)
			}
			if burned := cpuTime(t, w.PID) - before; burned < 500*time.Microsecond {
				t.Errorf("a resize of 1280×720 burned %v", burned)
			}
		})
	}
}

func TestPictureIsResized(t *testing.T) {
	t.Parallel()
	p := newPicture()
	p.resize()
	for y := range thumbHeight {
		for x := range thumbWidth {
			r, g := int(p.thumb.Pix[p.thumb.PixOffset(x, y)]), int(p.thumb.Pix[p.thumb.PixOffset(x, y)+1])
			if wantR, wantG := x*255/thumbWidth, y*255/thumbHeight; abs(r-wantR) > 3 || abs(g-wantG) > 3 {
				t.Fatalf("pixel %d, %d is %d, %d: want about %d, %d", x, y, r, g, wantR, wantG)
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

func TestWorkIsRefused(t *testing.T) {
	t.Parallel()
	if err := Check("fork", Options{Work: Image}); err == nil || !strings.Contains(err.Error(), "raw system calls only") {
		t.Errorf("image work of the fork runtime: %v", err)
	}
	err := Check("spoon", Options{Work: "nap", Heap: 1})
	for _, want := range []string{`runtime "spoon": unknown (have exec, fork, python, python-exec)`, `work "nap": unknown (have cpu, image, sleep)`, "heap of 1 bytes"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: lacks %q", err, want)
		}
	}
}

// fakePython is a program that answers the probe.
func fakePython(t *testing.T, mode os.FileMode, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindPython(t *testing.T) {
	t.Parallel()
	bare := fakePython(t, 0o755, `printf '/bare\n3.9.2\n\n'`)
	whole := fakePython(t, 0o755, `printf '/whole\n3.11.2\n9.4.0\n'`)
	broken := fakePython(t, 0o755, `echo "ModuleNotFoundError: No module named 'ctypes'" >&2; exit 1`)
	locked := fakePython(t, 0o644, "")
	o := Options{Work: Sleep}
	o.fill()
	for name, tt := range map[string]struct {
		work       string
		candidates []string
		want       string // path, or a part of the error
	}{
		"Pillow is preferred":     {Sleep, []string{bare, whole}, "/whole"},
		"else the first":          {CPU, []string{broken, bare}, "/bare"},
		"image wants Pillow":      {Image, []string{bare}, "work image: /bare (3.9.2) has no Pillow: a program is not installed; on Debian: apt-get install python3-pil"},
		"none":                    {Sleep, []string{"/nowhere/python3"}, "/nowhere/python3: no such file or directory): a program is not installed; on Debian: apt-get install python3 python3-pil"},
		"what it lacks is told":   {Sleep, []string{broken}, "No module named 'ctypes'"},
		"not executable is named": {Sleep, []string{locked}, locked + ": permission denied"},
	} {
		o.Work = tt.work
		py, err := findPython(o, tt.candidates...)
		if err == nil && py.path != tt.want {
			t.Errorf("%s: %s, want %s", name, py.path, tt.want)
		}
		if err != nil && (!errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
