package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/monitor"
	"edgebench/monitor/doctor"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// busyWindow is how long processes are watched to see who keeps a host busy.
const busyWindow = 200 * time.Millisecond

// rowBytes is what a request takes on disk, with room to spare: compressed rows
// of the main profile take 20 bytes. restBytes are for everything else.
const (
	rowBytes  = 40
	restBytes = 16 << 20
)

// Examine holds the checks of the doctor against this host and what a run of
// the profile will need. A nil profile needs nothing in particular.
func Examine(ctx context.Context, p *profiles.Profile, out string) ([]doctor.Result, error) {
	fs, err := monitor.NewFS(monitor.Proc)
	if err != nil {
		return nil, err
	}
	need := doctor.Need{Bytes: restBytes}
	if p != nil {
		s, err := p.Schedule()
		if err != nil {
			return nil, err
		}
		need = needOf(p, s, arrival.Share{})
	}
	return doctor.Examine(factsFor(ctx, fs, fs.Host(ctx), need, out)), nil
}

func needOf(p *profiles.Profile, s *arrival.Schedule, share arrival.Share) doctor.Need {
	connections := ConnectionsFor(p, s)
	need := doctor.Need{
		Connections: share.Part(max(connections.Connections, p.Connections)), Asked: p.Connections > 0,
		Bytes: int64(share.Rate(s.Expected())*rowBytes) + restBytes, Bundled: p.Target.Bundled != nil,
	}
	if p.Target.Way.OneRequest {
		need.Connects = share.Rate(connections.Peak)
	}
	return need
}

func factsFor(ctx context.Context, fs monitor.FS, host monitor.Host, need doctor.Need, out string) *doctor.Facts {
	f := &doctor.Facts{Host: host, Need: need, Disk: free(out)}
	if doctor.Loaded(host) {
		f.Busy, _ = fs.Busy(ctx, busyWindow) // only names who it is
	}
	return f
}

// free is the space where a folder is, or will be made.
func free(dir string) monitor.Null[int64] {
	for {
		var at unix.Statfs_t
		if err := unix.Statfs(dir, &at); err == nil {
			return monitor.Null[int64]{V: int64(at.Bavail) * at.Bsize, Valid: true}
		}
		above := filepath.Dir(dir)
		if above == dir {
			return monitor.Null[int64]{}
		}
		dir = above
	}
}

// examine looks at the host before the run: its facts and every
// check go into the manifest, and what distorts results is told at once and kept as a warning. Nothing is
// refused: the verdict will say what came of it.
func (r *run) examine(ctx context.Context) {
	r.host = r.fs.Host(ctx)
	r.manifest.Host = facts(r.host)
	r.manifest.Warnings = append(r.manifest.Warnings, r.host.Warnings...)
	need := needOf(r.Profile, r.schedule, r.Share)
	need.Bundled = need.Bundled && r.NodeAt == ""
	results := doctor.Examine(factsFor(ctx, r.fs, r.host, need, r.Out))
	for _, c := range results {
		r.manifest.Doctor = append(r.manifest.Doctor, rundir.Check{Name: c.Name, Level: string(c.Level), Found: c.Found})
	}
	for _, found := range doctor.AtLeast(results, doctor.Warn) {
		r.warn("%v", found)
		fmt.Fprintf(r.Notice, "warning %v\n", found)
	}
}
