package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
	"edgebench/profiles/arrival"
)

// takeShares recognises the parts of one run played by several processes:
// generators with a share each, and perhaps the keeper of the node, which is
// taken out of the parts. Without any, the runs are whole ones.
func takeShares(parts []*part) (generators []*part, keeper *part, shared bool, err error) {
	var faults []string
	for _, p := range parts {
		switch p.run.Manifest.PartRole() {
		case rundir.RoleTarget:
			if shared = true; keeper != nil {
				faults = append(faults, fmt.Sprintf("%s and %s are both of the target", keeper.run.Dir, p.run.Dir))
			}
			keeper = p
		case rundir.RoleGenerator:
			shared = true
			generators = append(generators, p)
		default:
			generators = append(generators, p)
		}
	}
	if !shared {
		return parts, nil, false, nil
	}
	faults = append(faults, completeShares(generators)...)
	if len(faults) == 0 {
		faults = oneSchedule(generators, keeper)
	}
	if len(faults) > 0 {
		return nil, nil, true, fmt.Errorf("%w: %s", ErrUnlike, strings.Join(faults, "; "))
	}
	// By their number, so that the union is the same in whichever order they are named.
	slices.SortFunc(generators, func(a, b *part) int { return a.run.Manifest.Share.Index - b.run.Manifest.Share.Index })
	return generators, keeper, true, nil
}

// completeShares tells which shares are missing, there twice, or of another split.
func completeShares(generators []*part) (faults []string) {
	of, seen := 0, map[int]string{}
	for _, p := range generators {
		share := p.run.Manifest.Share
		switch {
		case share == nil:
			faults = append(faults, fmt.Sprintf("%s is a whole run among shares of one", p.run.Dir))
			continue
		case of != 0 && share.Of != of:
			faults = append(faults, fmt.Sprintf("%s is share %v, others are of %d", p.run.Dir, *share, of))
			continue
		case seen[share.Index] != "":
			faults = append(faults, fmt.Sprintf("share %v is there twice: %s and %s", *share, seen[share.Index], p.run.Dir))
		}
		of, seen[share.Index] = share.Of, p.run.Dir
	}
	if of == 0 && len(faults) == 0 {
		return []string{"no generator's share is there"}
	}
	for i := 1; i <= of; i++ {
		if seen[i] == "" {
			faults = append(faults, fmt.Sprintf("share %v is missing", arrival.Share{Index: i, Of: of}))
		}
	}
	return faults
}

// oneSchedule refuses shares that are not of the same requests.
func oneSchedule(generators []*part, keeper *part) (faults []string) {
	first := generators[0]
	others := generators[1:len(generators):len(generators)]
	if keeper != nil {
		others = append(others, keeper)
	}
	for _, p := range others {
		a, b := first.run.Manifest, p.run.Manifest
		differ := func(what, x, y string) {
			faults = append(faults, fmt.Sprintf("%s and %s have other %s: %s and %s", first.run.Dir, p.run.Dir, what, x, y))
		}
		if a.Seed != b.Seed {
			differ("seeds", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed))
		} else if a.ProfileHash != b.ProfileHash {
			differ("profiles", "hash "+short(a.ProfileHash), short(b.ProfileHash))
		} else if a.ScheduleHash != b.ScheduleHash {
			differ("schedules", "hash "+short(a.ScheduleHash), short(b.ScheduleHash))
		} else if x, y := a.Versions["loadgen"], b.Versions["loadgen"]; x != y {
			differ("versions of loadgen", x, y)
		}
	}
	return faults
}

func short(hash string) string { return hash[:min(12, len(hash))] }

// partOf is what the union tells of one of its parts.
func partOf(p *part) (rundir.Part, error) {
	m, total := p.run.Manifest, rundir.Sum(p.accounts.Phases)
	out := rundir.Part{Name: m.PartName(), Role: cmp.Or(m.Role, rundir.RoleGenerator), Share: m.Share, Start: m.Start, Sent: total.Sent()}
	if m.Share == nil {
		return out, nil
	}
	summary, err := analysis.Summarize(p.run.Dir)
	if err != nil {
		return out, err
	}
	if summary.Verdict == analysis.Invalid {
		out.Reasons = summary.Reasons
	}
	return out, nil
}

// generatorsTogether is what all generators cost together; the longest pause is
// one generator's.
func generatorsTogether(parts []*part) *rundir.Generator {
	sum := &rundir.Generator{KernelCounters: map[string]int64{}}
	for _, p := range parts {
		g := p.run.Manifest.Generator
		if g == nil {
			return nil
		}
		sum.CPUUserSeconds += g.CPUUserSeconds
		sum.CPUSystemSeconds += g.CPUSystemSeconds
		sum.CoresUsable += g.CoresUsable
		add(&sum.GCPauses, g.GCPauses)
		add(&sum.GCPauseTotalNS, g.GCPauseTotalNS)
		add(&sum.OpenFilesLimit, g.OpenFilesLimit)
		if g.GCPauseMaxNS != nil {
			sum.GCPauseMaxNS = new(max(*g.GCPauseMaxNS, valueOf(sum.GCPauseMaxNS)))
		}
		for key, n := range g.KernelCounters {
			sum.KernelCounters[key] += n
		}
	}
	return sum
}

func add[N int64 | uint64](to **N, v *N) {
	if v != nil {
		*to = new(valueOf(*to) + *v)
	}
}

func valueOf[N int64 | uint64](v *N) N {
	if v == nil {
		return 0
	}
	return *v
}
