package monitor

import "bytes"

// forks tells whether any process or thread was started on this host since it
// was last asked: the last field of /proc/loadavg is the pid given out last.
// One read of 30 bytes saves the search through all threads of the tree, which
// is the most that a sweep costs.
type forks struct {
	loadavg file
	last    int64
	again   bool
}

// open leaves the file closed where there is none: then everything may be new.
func (f *forks) open(fs FS) { _ = f.loadavg.open(fs.inProc("loadavg")) }

// since is true once more after each change: a list of children may lack one
// when a sibling ended during the read, and nothing else may change afterwards.
func (f *forks) since(buf []byte) bool {
	if !f.loadavg.opened {
		return true
	}
	text, err := f.loadavg.read(buf)
	if err != nil {
		return true
	}
	text = bytes.TrimSpace(text)
	last, ok := number(text[bytes.LastIndexByte(text, ' ')+1:])
	changed := !ok || last != f.last
	search := changed || f.again
	f.last, f.again = last, changed
	return search
}

func (f *forks) close() { f.loadavg.close() }
