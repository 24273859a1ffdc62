// Package compare sets runs beside one another: it finds run directories, takes
// those of one configuration together as trials, and measures how groups of
// trials differ and what they cost. The trial is the unit everywhere; requests
// of one trial are not independent of each other. It refuses to compare runs
// that were asked for different work, and states which trials it left out.
package compare

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// A Trial is one run read whole.
type Trial struct {
	Dir      string
	Manifest *rundir.Manifest
	Summary  *analysis.Summary
	Account  *analysis.Account // what is compared: of the run, or of one phase
	config   rundir.Config
}

// An Excluded trial is in no number.
type Excluded struct {
	Dir string `json:"dir"`
	Why string `json:"why"`
}

// ErrUsage is wrapped by errors about what was asked for, not about the data.
var ErrUsage = errors.New("cannot compare")

// source is what one argument names.
type source struct {
	arg    string
	folder bool // a folder of runs, not a run
	dirs   []string
}

// dropRepeats refuses a run that is on two sides and leaves out one named twice
// on the same, or copied: the same trial twice would only narrow the intervals.
func dropRepeats(sources []source) (excluded []Excluded, err error) {
	type place struct {
		side      int
		dir, real string
	}
	seen := map[any]place{}
	for i := range sources {
		kept := sources[i].dirs[:0]
		for _, dir := range sources[i].dirs {
			key, real, err := identify(dir)
			if err != nil {
				return nil, err
			}
			first, again := seen[key]
			switch {
			case !again:
				seen[key] = place{i, dir, real}
				kept = append(kept, dir)
			case first.side != i && (sources[i].folder || sources[first.side].folder):
				return nil, fmt.Errorf("%w: %s is in %s and in %s", ErrUsage, dir, sources[first.side].arg, sources[i].arg)
			case first.real != real:
				excluded = append(excluded, Excluded{dir, "a copy of " + first.dir})
			default:
				excluded = append(excluded, Excluded{dir, "named twice"})
			}
		}
		sources[i].dirs = kept
	}
	return excluded, nil
}

// identify returns what makes a run directory that run, and its real path: where
// the manifest cannot be read, which is told later, the path has to do.
func identify(dir string) (key any, real string, err error) {
	if real, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, "", err
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, "", err
	}
	m, err := rundir.ReadManifest(dir)
	if err != nil {
		return real, real, nil
	}
	return m.Identity(), real, nil
}

// load reads runs on a few threads, in the order given. A damaged run of a
// folder is excluded with its reason; one that was named is an error.
func load(src source, o Options, readers int) (trials []*Trial, excluded []Excluded, err error) {
	dirs := src.dirs
	type result struct {
		trial *Trial
		err   error
	}
	results := make([]result, len(dirs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(readers, len(dirs)) {
		wg.Go(func() {
			for i := range next {
				results[i].trial, results[i].err = read(dirs[i], o)
			}
		})
	}
	for i := range dirs {
		next <- i
	}
	close(next)
	wg.Wait()
	var faults []error
	told := false
	for i, r := range results {
		switch {
		case errors.Is(r.err, analysis.ErrNoPart):
			// Asked wrongly of one is asked wrongly of all: told once.
			if !told {
				faults = append(faults, fmt.Errorf("%w: %w", ErrUsage, r.err))
			}
			told = true
		case r.err != nil && !src.folder:
			faults = append(faults, r.err)
		case r.err != nil:
			excluded = append(excluded, Excluded{dirs[i], "damaged: " + strings.TrimPrefix(r.err.Error(), dirs[i]+": ")})
		default:
			if why := unusable(r.trial, o); why != "" {
				excluded = append(excluded, Excluded{dirs[i], why})
				continue
			}
			trials = append(trials, r.trial)
		}
	}
	// By start, so that the order of trials is the order of time.
	slices.SortStableFunc(trials, func(a, b *Trial) int {
		return int(max(min(a.Manifest.StartedUnixNS-b.Manifest.StartedUnixNS, 1), -1))
	})
	return trials, excluded, errors.Join(faults...)
}

func read(dir string, o Options) (*Trial, error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	t := &Trial{Dir: dir, Manifest: run.Manifest}
	if t.Summary = o.Known[dir]; t.Summary != nil && o.part().Whole() {
		t.Account = &t.Summary.Account
	} else {
		t.Summary, t.Account, err = analysis.SummarizePart(dir, o.part())
	}
	var unread error
	t.config, unread = rundir.ReadConfig(dir)
	return t, errors.Join(err, unread)
}
