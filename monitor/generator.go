package monitor

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// generator is our own process, whose load belongs beside the node's: a
// generator that had no CPU left measured itself.
type generator struct {
	fs       FS
	statm    file
	base     time.Duration
	pageSize int64
}

func newGenerator(f FS) (*generator, error) {
	g := &generator{fs: f, pageSize: int64(os.Getpagesize())}
	var err error
	if g.base, err = cpuClock(unix.CLOCK_PROCESS_CPUTIME_ID); err != nil {
		return nil, err
	}
	if err := g.statm.open(f.inProc("self/statm")); err != nil && !absent(err) {
		return nil, err
	}
	return g, nil
}

func (g *generator) measure(row *Row, buf []byte) error {
	used, err := cpuClock(unix.CLOCK_PROCESS_CPUTIME_ID)
	if err != nil {
		return err
	}
	row.GeneratorCPU = used - g.base
	if row.GeneratorFiles, err = g.fs.openFiles(); err != nil {
		return err
	}
	if !g.statm.opened { // a captured /proc has no self
		return nil
	}
	text, err := g.statm.read(buf)
	if err != nil {
		return err
	}
	pages, err := parseStatm(g.statm.path, text)
	if err != nil {
		return err
	}
	row.GeneratorRSS = Null[int64]{V: pages * g.pageSize, Valid: true}
	return nil
}
