package response

import (
	"sync"

	"edgebench/analysis/rundir"
)

// maxInstances bounds the instances remembered: beyond, answers of new ones have
// no mark.
const maxInstances = 1 << 20

// Instances tells first answers from later ones by the name of the instance that
// gave them. All shards of a run share one; the zero value has seen none.
type Instances struct {
	mu   sync.Mutex
	seen map[string]struct{}
}

// Mark is yes for the first answer of an instance and no for the others. An
// answer that names none has no mark.
func (s *Instances) Mark(id []byte) rundir.Mark {
	if len(id) == 0 {
		return rundir.MarkNone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.seen[string(id)]; ok {
		return rundir.MarkNo
	}
	if len(s.seen) >= maxInstances {
		return rundir.MarkNone
	}
	if s.seen == nil {
		s.seen = map[string]struct{}{}
	}
	s.seen[string(id)] = struct{}{}
	return rundir.MarkYes
}
