package monitor

import "time"

// measure reads the resident sizes and fills the row's fields about the tree.
// It comes after a sweep, which has found who is there.
func (t *Tree) measure(row *Row, now time.Duration) error {
	var failed error
	for _, p := range t.order {
		if err := p.readRSS(t.fs, t.buf, t.pageSize); err != nil && failed == nil {
			failed = err
		}
	}
	row.Node = true
	row.Missing = t.unopened
	if t.rootGone {
		// The node was there and is expected for the whole run. Its absence
		// is no empty sum.
		row.Missing++
	}
	row.PSSMissing = row.Missing
	for _, p := range t.order {
		t.count(row, p, now)
	}
	row.CPU = t.used()
	return failed
}

func (t *Tree) count(row *Row, p *process, now time.Duration) {
	if !p.zombie {
		row.Processes++
		if p.role == RoleWorker {
			row.Workers++
		}
	}
	if !p.measured() {
		row.Missing++
	} else {
		add(&row.RSS, p.rss.V)
	}
	if !p.hasPSS() {
		row.PSSMissing++
		return
	}
	add(&row.PSS, p.memory.V.pss)
	add(&row.USS, p.memory.V.uss)
	switch p.role {
	case RoleNode:
		add(&row.NodePSS, p.memory.V.pss)
	case RoleTemplate:
		add(&row.TemplatePSS, p.memory.V.pss)
	case RoleWorker:
		add(&row.WorkersPSS, p.memory.V.pss)
	case RoleFitter:
		add(&row.FitterPSS, p.memory.V.pss)
	}
	row.PSSAge = max(row.PSSAge, now-p.readAt)
}

func add(sum *Null[int64], n int64) { *sum = Null[int64]{V: sum.V + n, Valid: true} }
