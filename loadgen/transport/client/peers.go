package client

import (
	"cmp"
	"crypto/tls"
	"maps"
	"net/netip"
	"slices"
	"sync"
)

// A Peer is an address connected to, and how often.
type Peer struct {
	Address  netip.AddrPort
	Connects uint64
}

// A Session is what a TLS handshake agreed on.
type Session struct {
	Version string // as in TLS 1.3
	Cipher  string // suite, by its IANA name
}

// A SessionCount is a session and how many connections have it.
type SessionCount struct {
	Session
	Connects uint64
}

func sessionOf(s tls.ConnectionState) Session {
	return Session{Version: tls.VersionName(s.Version), Cipher: tls.CipherSuiteName(s.CipherSuite)}
}

// Peers are the addresses connected to so far (those of the proxy, where there
// is one), the most used first. Safe from any goroutine.
func (t *Target) Peers() []Peer {
	var all []Peer
	for address, n := range t.dialer.peers.copied() {
		all = append(all, Peer{address, n})
	}
	slices.SortFunc(all, func(a, b Peer) int {
		return cmp.Or(cmp.Compare(b.Connects, a.Connects), a.Address.Compare(b.Address))
	})
	return all
}

// Sessions are the TLS versions and ciphers agreed on so far, the most used
// first. Safe from any goroutine.
func (t *Target) Sessions() []SessionCount {
	var all []SessionCount
	for session, n := range t.dialer.spoken.copied() {
		all = append(all, SessionCount{session, n})
	}
	slices.SortFunc(all, func(a, b SessionCount) int {
		return cmp.Or(cmp.Compare(b.Connects, a.Connects), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Cipher, b.Cipher))
	})
	return all
}

// A tally counts things, for several goroutines.
type tally[K comparable] struct {
	mu     sync.Mutex
	counts map[K]uint64
}

func (t *tally[K]) count(k K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[K]uint64{}
	}
	t.counts[k]++
}

func (t *tally[K]) copied() map[K]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.counts)
}
