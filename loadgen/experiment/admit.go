package experiment

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"time"

	"edgebench/loadgen/request"
	"edgebench/profiles"
)

// An Intent is what a run is about to send, told before anything is started.
type Intent struct {
	Planned uint64  // requests; rounded from the integral of the rate where the schedule is too long to walk
	Peak    float64 // requests/s
	Target  string  // without secrets
	Local   bool    // the target is this machine
}

// admit asks whether the run may go on as planned.
func (r *run) admit(ctx context.Context) error {
	if r.Admit == nil {
		return nil
	}
	return r.Admit(IntentOf(ctx, r.Profile, r.manifest.Planned, ConnectionsFor(r.Profile, r.schedule).Peak))
}

// IntentOf is that of so many requests by a profile.
func IntentOf(ctx context.Context, p *profiles.Profile, planned uint64, peak float64) Intent {
	return Intent{Planned: planned, Peak: peak, Target: p.Redacted().Target.URL, Local: isLocal(ctx, p)}
}

// lookupWait bounds the question where a name points.
const lookupWait = 2 * time.Second

// isLocal reports whether requests stay on this machine: a node of ours, a Unix
// socket, or a host all of whose addresses are of this machine's interfaces. A
// proxy hides where they go, and a name that nobody knows is not ours.
func isLocal(ctx context.Context, p *profiles.Profile) bool {
	way := p.Target.Way
	if p.Target.Bundled != nil || way.UnixSocket != "" {
		return true
	}
	u, err := url.Parse(p.Target.URL)
	if err != nil || way.Proxy != "" {
		return false
	}
	_, hop := firstHop(request.Address(u), way)
	host, _, err := net.SplitHostPort(hop)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, lookupWait)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addresses) == 0 {
		return false
	}
	ours := interfaceAddresses()
	for _, a := range addresses {
		if a = a.Unmap().WithZone(""); !a.IsLoopback() && !ours[a] {
			return false
		}
	}
	return true
}

func interfaceAddresses() map[netip.Addr]bool {
	ours := map[netip.Addr]bool{}
	all, _ := net.InterfaceAddrs() // none known: only the loopback is ours
	for _, a := range all {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			ours[prefix.Addr().WithZone("")] = true
		}
	}
	return ours
}
