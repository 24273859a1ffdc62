package batch

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Member is a worker as the coordinator sees it.
type Member struct {
	Presence
	Heard      time.Time `json:"heard"` // by the coordinator's clock
	Quarantine string    `json:"quarantine,omitempty"`
}

// roster is who takes part: pure, the time is given.
type roster struct {
	lease      time.Duration
	members    map[string]*Member
	quarantine map[string]string // node → why
	// sole says that nobody else could make the trials of a node that fails: it is
	// kept, since a quarantine would end the batch.
	sole bool
}

func newRoster(lease time.Duration) *roster {
	return &roster{lease: lease, members: map[string]*Member{}, quarantine: map[string]string{}}
}

// hear takes up what a worker says. reborn reports that the worker is another
// process than before; isolated that its node goes into quarantine by this.
func (r *roster) hear(p Presence, now time.Time) (refused string, joined, isolated bool) {
	known := r.members[p.Worker]
	if known != nil && known.Instance != p.Instance && known.Host != p.Host && now.Sub(known.Heard) < r.lease {
		return fmt.Sprintf("a worker of the name %s is at work on %s: choose another --name", p.Worker, known.Host), false, false
	}
	if p.Doing == Leaving {
		delete(r.members, p.Worker)
		return "", false, false
	}
	joined = known == nil || known.Instance != p.Instance
	if p.Failures >= maxFailures && !r.sole && r.quarantine[p.Node] == "" {
		r.quarantine[p.Node] = fmt.Sprintf("%d attempts in a row failed on worker %s", p.Failures, p.Worker)
		isolated = true
	}
	r.members[p.Worker] = &Member{Presence: p, Heard: now}
	return "", joined, isolated
}

// lost forgets the workers that were not heard of for a lease, and names them.
func (r *roster) lost(now time.Time) []Member {
	var gone []Member
	for name, m := range r.members {
		if now.Sub(m.Heard) >= r.lease {
			gone = append(gone, *m)
			delete(r.members, name)
		}
	}
	return gone
}

// lift ends a node's quarantine.
func (r *roster) lift(node string) error {
	if err := isolated(node, r.quarantine); err != nil {
		return err
	}
	delete(r.quarantine, node)
	return nil
}

// ErrNotIsolated is about a node whose quarantine cannot be lifted.
var ErrNotIsolated = errors.New("is not in quarantine")

// isolated is nil for a node that is, by the reasons for quarantines.
func isolated(node string, quarantine map[string]string) error {
	if _, ok := quarantine[node]; ok {
		return nil
	}
	who := "no node is"
	if len(quarantine) > 0 {
		who = strings.Join(slices.Sorted(maps.Keys(quarantine)), ", ") + " is"
	}
	return fmt.Errorf("node %q %w: %s", node, ErrNotIsolated, who)
}

// list is the roster in the order of names.
func (r *roster) list() []Member {
	members := make([]Member, 0, len(r.members))
	for _, m := range r.members {
		c := *m
		c.Quarantine = r.quarantine[m.Node]
		members = append(members, c)
	}
	slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Worker, b.Worker) })
	return members
}

// able counts the workers that may take trials.
func (r *roster) able() int {
	n := 0
	for _, m := range r.members {
		if r.quarantine[m.Node] == "" {
			n++
		}
	}
	return n
}
