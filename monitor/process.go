package monitor

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Role is what a process of the tree is there for.
type Role uint8

// Roles, by the name that a process gives itself.
const (
	RoleOther Role = iota
	RoleNode
	RoleTemplate
	RoleWorker
	RoleFitter // fits a policy's forecasts
)

func roleOf(comm []byte) Role {
	switch string(comm) {
	case "edge-worker":
		return RoleWorker
	case "edge-template":
		return RoleTemplate
	case "edge-fitter":
		return RoleFitter
	}
	return RoleOther
}

// A process is one process of the tree, from when it was found to its end.
type process struct {
	pid   int
	start int64
	root  bool

	// From the last sweep.
	dead    bool
	zombie  bool
	unread  bool // its stat could not be read, for another reason than its end
	role    Role
	ppid    int
	threads int
	cpu     processCPU
	rss     Null[int64] // bytes

	// From the last reading of its rollup, which has a time of its own.
	memory  Null[rollup]
	readAt  time.Duration // of memory, on the run's clock
	tried   bool          // its rollup had a turn, at triedAt, successful or not
	triedAt time.Duration
	refused bool // its rollup may not be read, and will not be tried again

	stat, statm, rollup file
}

// openProcess finds the process that has this pid now.
func openProcess(f FS, pid int, buf []byte) (*process, error) {
	p := &process{pid: pid}
	if err := p.stat.open(f.of(pid, "stat")); err != nil {
		return nil, err
	}
	s, err := p.readStat(buf)
	if err != nil {
		p.close()
		return nil, err
	}
	p.start = s.start
	p.take(f, s)
	p.cpu.reapedBefore = s.reaped
	return p, nil
}

func (p *process) readStat(buf []byte) (stat, error) {
	text, err := p.stat.read(buf)
	if err != nil {
		return stat{}, err
	}
	return parseStat(p.stat.path, text)
}

// refresh reads the process's stat again. The process is dead when the kernel
// says so or when its pid is another's now.
func (p *process) refresh(f FS, buf []byte) error {
	s, err := p.readStat(buf)
	p.unread = false
	switch {
	case err == nil && s.start == p.start && s.pid == p.pid:
		p.take(f, s)
	case err == nil || vanished(err):
		p.dead = true
	default:
		p.unread = true
		return err
	}
	return nil
}

// take keeps what s tells. The role is taken anew each time: a forked worker
// has its template's name until it gives itself its own.
func (p *process) take(f FS, s stat) {
	p.zombie, p.ppid, p.threads = s.zombie(), s.ppid, s.threads
	p.role = roleOf(s.comm)
	if p.root {
		p.role = RoleNode
	}
	own := s.own
	if f.live {
		// Read after stat, so if the pid was given away in between, the clock
		// of a younger process shows less and max below keeps what we had.
		if exact, err := processClock(p.pid); err == nil {
			own = exact
		}
	}
	p.cpu.own = max(p.cpu.own, own)
	p.cpu.reaped = max(p.cpu.reaped, s.reaped)
}

// readRSS reads the resident size. It stays null for a process that is gone,
// a zombie, or between the two: none of our user processes has 0 pages.
func (p *process) readRSS(f FS, buf []byte, pageSize int64) error {
	p.rss = Null[int64]{}
	if p.dead || p.zombie || p.unread {
		return nil
	}
	if !p.statm.opened {
		if err := p.statm.open(f.of(p.pid, "statm")); err != nil {
			return unlessVanished(err)
		}
	}
	text, err := p.statm.read(buf)
	if err != nil {
		return unlessVanished(err)
	}
	pages, err := parseStatm(p.statm.path, text)
	if err != nil {
		return err
	}
	p.rss = Null[int64]{V: pages * pageSize, Valid: pages > 0}
	return nil
}

// readPSS reads the rollup. The kept file holds the memory that the process
// had when it was opened, so after an exec it answers ESRCH and is opened anew.
func (p *process) readPSS(f FS, buf []byte, now time.Duration) error {
	text, err := p.readRollup(f, buf)
	if errors.Is(err, unix.ESRCH) {
		p.rollup.close()
		text, err = p.readRollup(f, buf)
	}
	if err != nil {
		if vanished(err) { // the next sweep says whether it ended
			return nil
		}
		p.refused = absent(err)
		return err
	}
	memory, err := parseRollup(p.rollup.path, text)
	if err != nil {
		return err
	}
	p.memory, p.readAt = Null[rollup]{V: memory, Valid: true}, now
	return nil
}

func (p *process) readRollup(f FS, buf []byte) ([]byte, error) {
	if !p.rollup.opened {
		if err := p.rollup.open(f.of(p.pid, "smaps_rollup")); err != nil {
			return nil, err
		}
	}
	return p.rollup.read(buf)
}

// measured reports whether the process is in the sums of memory.
func (p *process) measured() bool { return p.rss.Valid }

// hasPSS reports whether it is in the sums of PSS and USS.
func (p *process) hasPSS() bool { return p.measured() && p.memory.Valid }

func (p *process) close() {
	p.stat.close()
	p.statm.close()
	p.rollup.close()
}

func unlessVanished(err error) error {
	if vanished(err) {
		return nil
	}
	return err
}
