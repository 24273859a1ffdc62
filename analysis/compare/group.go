package compare

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// Options say what is compared.
type Options struct {
	Phase    string   // all cycles of one phase; empty for whole runs
	Function string   // one function of several; empty for all
	Path     string   // answers of one path: of the run or of Phase, which has to be a measured one; empty for all
	Metrics  []string // names of metrics; empty for the usual ones
	Force    bool     // compares groups that were asked for different work, and says so
	Invalid  bool     // takes invalid and partial trials in, and says so
	Mixed    bool     // groups of several profiles stand side by side: only those of one have to be asked for the same work
	Apart    bool     // runs named one by one that are all alike stand alone, instead of being one group

	Known map[string]*analysis.Summary // made already, by run directory
}

// part is what of a run is compared.
func (o Options) part() analysis.Part {
	return analysis.Part{Phase: o.Phase, Function: o.Function, Path: o.Path}
}

// partKind is the word for it.
func (o Options) partKind() string {
	switch {
	case o.Path != "":
		return "path"
	case o.Phase != "":
		return "phase"
	}
	return "function"
}

// A Group is the trials of one configuration: one profile but for its seed, one
// producer, and, when folders are compared, one folder.
type Group struct {
	Letter   string `json:"letter"` // A, B, …
	Name     string `json:"name"`   // what tells it from the others
	Producer string `json:"producer"`
	Profile  string `json:"profile"`
	Mode     string `json:"mode"`
	From     string `json:"from"` // the folder, or the runs' parent

	Trials []*Trial `json:"-"`
	Dirs   []string `json:"dirs"`
	config rundir.Config
}

// Simulated reports whether the trials are the twin's.
func (g *Group) Simulated() bool { return g.Producer == rundir.ProducerTwin }

// A Set is groups of trials that were read, and what was left out.
type Set struct {
	Groups   []*Group   `json:"groups"`
	Excluded []Excluded `json:"excluded"`
	Rules    []string   `json:"rules"`
	Notes    []string   `json:"notes"` // what to keep in mind
}

// Read finds and reads the runs named by args: run directories, folders of
// them, batches. Each folder makes groups of its own; runs named one by one are
// grouped by configuration.
func Read(args []string, o Options) (*Set, error) {
	if o.Phase != "" && o.Function != "" {
		return nil, fmt.Errorf("%w: a phase (%s) and a function (%s): choose one", ErrUsage, o.Phase, o.Function)
	}
	if o.Path != "" && o.Function != "" {
		return nil, fmt.Errorf("%w: a path (%s) and a function (%s): choose one", ErrUsage, o.Path, o.Function)
	}
	set := &Set{Excluded: []Excluded{}, Rules: Rules(o), Notes: []string{}}
	var sources []source
	var faults []error
	for _, arg := range args {
		dirs, folder, err := rundir.Find(arg)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if len(dirs) > 0 {
			sources = append(sources, source{filepath.Clean(arg), folder, dirs})
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	repeats, err := dropRepeats(sources)
	if err != nil {
		return nil, err
	}
	set.Excluded = append(set.Excluded, repeats...)
	if err := set.group(sources, o); err != nil {
		return nil, err
	}
	if len(set.Groups) == 0 {
		return nil, fmt.Errorf("%w: no trial is left\n%s", ErrUsage, listed(set.Excluded))
	}
	set.label()
	return set, set.sameWork(o)
}

func listed(excluded []Excluded) string {
	lines := make([]string, len(excluded))
	for i, e := range excluded {
		lines[i] = "  " + e.Dir + ": " + e.Why
	}
	return strings.Join(lines, "\n")
}

func (s *Set) group(sources []source, o Options) error {
	var faults []error
	sources = gathered(sources)
	only := len(sources) == 1
	for _, src := range sources {
		first := len(s.Groups)
		trials, excluded, err := load(src, o, runtime.GOMAXPROCS(0))
		s.Excluded = append(s.Excluded, excluded...)
		switch {
		case err != nil:
			faults = append(faults, err)
		case o.Apart && only && !src.folder && len(trials) > 1 && allAlike(trials):
			for _, t := range trials {
				s.Groups = append(s.Groups, newGroup(t.Dir, t))
			}
		default:
			s.add(src.arg, trials)
		}
		if !src.folder {
			asNamed(s.Groups[first:], src.dirs)
		}
	}
	return errors.Join(faults...)
}

// asNamed puts groups in the order in which their runs were named: the first is
// what the others are compared with, whichever was played first.
func asNamed(groups []*Group, dirs []string) {
	place := func(g *Group) int {
		return slices.IndexFunc(dirs, func(dir string) bool { return slices.Contains(g.Dirs, dir) })
	}
	slices.SortStableFunc(groups, func(a, b *Group) int { return place(a) - place(b) })
}

// gathered puts the runs that were named one by one together, where the first
// of them stands.
func gathered(sources []source) []source {
	var out []source
	alone := -1
	for _, src := range sources {
		switch {
		case src.folder:
			out = append(out, src)
		case alone < 0:
			alone = len(out)
			out = append(out, source{dirs: src.dirs})
		default:
			out[alone].dirs = append(out[alone].dirs, src.dirs...)
		}
	}
	return out
}

func allAlike(trials []*Trial) bool {
	return !slices.ContainsFunc(trials, func(t *Trial) bool { return !alike(trials[0], t) })
}

// alike reports whether two trials belong to one group.
func alike(a, b *Trial) bool {
	return a.Manifest.Producer == b.Manifest.Producer && len(a.config.Differing(b.config)) == 0
}

// add distributes trials over groups of their own.
func (s *Set) add(from string, trials []*Trial) {
	first := len(s.Groups)
next:
	for _, t := range trials {
		for _, g := range s.Groups[first:] {
			if alike(g.Trials[0], t) {
				g.Trials, g.Dirs = append(g.Trials, t), append(g.Dirs, t.Dir)
				continue next
			}
		}
		where := from
		if where == "" {
			where = filepath.Dir(t.Dir)
		}
		s.Groups = append(s.Groups, newGroup(where, t))
	}
}

func newGroup(from string, t *Trial) *Group {
	m := t.Manifest
	return &Group{
		Producer: m.Producer, Profile: m.Profile, Mode: m.Mode, From: from,
		Trials: []*Trial{t}, Dirs: []string{t.Dir}, config: t.config,
	}
}

// label names groups by what tells them apart.
func (s *Set) label() {
	same := func(of func(*Group) string) bool {
		return !slices.ContainsFunc(s.Groups, func(g *Group) bool { return of(g) != of(s.Groups[0]) })
	}
	profile, mode := !same(func(g *Group) string { return g.Profile }), !same(func(g *Group) string { return g.Mode })
	producer := !same(func(g *Group) string { return g.Producer })
	names := map[string]int{}
	for i, g := range s.Groups {
		g.Letter = letter(i)
		var parts []string
		if profile {
			parts = append(parts, g.Profile)
		}
		if mode || !profile {
			parts = append(parts, g.Mode)
		}
		if producer {
			parts = append(parts, producerWord(g))
		}
		g.Name = strings.Join(parts, " ")
		names[g.Name]++
	}
	for _, g := range s.Groups {
		if names[g.Name] > 1 {
			g.Name += " " + filepath.Base(g.From)
		}
	}
}

// letter of a group: A to Z, then A1 and so on.
func letter(i int) string {
	l := string(rune('A' + i%26))
	if i >= 26 {
		l += fmt.Sprint(i / 26)
	}
	return l
}

func producerWord(g *Group) string {
	if g.Simulated() {
		return "simulated"
	}
	return "measured"
}

// sameWork refuses groups whose targets were asked for different things: a
// difference between them would be one of the load.
func (s *Set) sameWork(o Options) error {
	var faults []error
	for _, b := range s.Groups[1:] {
		a := s.Groups[0]
		if o.Mixed {
			a = s.Groups[slices.IndexFunc(s.Groups, func(g *Group) bool { return g.Profile == b.Profile })]
		}
		var what []string
		if keys := a.config.Differing(b.config, work...); len(keys) > 0 {
			what = append(what, "their profiles differ in "+strings.Join(keys, ", "))
		}
		if t, u := differentSchedules(a, b); t != nil && len(what) == 0 {
			what = append(what, fmt.Sprintf("seed %d gives another schedule in %s (%.12s) than in %s (%.12s)",
				t.Manifest.Seed, t.Dir, t.Manifest.ScheduleHash, u.Dir, u.Manifest.ScheduleHash))
		}
		if len(what) == 0 {
			continue
		}
		text := fmt.Sprintf("%s (%s) and %s (%s) were not asked for the same work: %s", a.Letter, a.Name, b.Letter, b.Name, strings.Join(what, "; "))
		if !o.Force {
			faults = append(faults, fmt.Errorf("%w: %s; --force compares them nevertheless", ErrUsage, text))
			continue
		}
		s.Notes = append(s.Notes, text)
	}
	return errors.Join(faults...)
}

// differentSchedules finds two trials of one seed with different arrivals.
func differentSchedules(a, b *Group) (*Trial, *Trial) {
	of := map[uint64]*Trial{}
	for _, t := range a.Trials {
		of[t.Manifest.Seed] = t
	}
	for _, t := range b.Trials {
		if u := of[t.Manifest.Seed]; u != nil && u.Manifest.ScheduleHash != t.Manifest.ScheduleHash {
			return t, u
		}
	}
	return nil, nil
}
