package report

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"edgebench/analysis"
	"edgebench/analysis/compare"
)

// Groups is what a report over several runs shows.
type Groups struct {
	Set      *compare.Set
	Drawings []Drawing
	Argv     []string    // of the command that makes the report again
	Folder   string      // the page is written to; links are relative to it
	Course   []Happening // of the batch that the runs are of; none for others
}

// GroupsHTML writes one self-contained page of groups of trials side by side.
func GroupsHTML(w io.Writer, g Groups) error {
	d, err := g.document()
	if err != nil {
		return err
	}
	return d.html(w)
}

// GroupsText is the same on a terminal, without the tables of phases and trials.
func GroupsText(g Groups, o TextOptions) (string, error) {
	d, err := g.document()
	if err != nil {
		return "", err
	}
	return d.text(o), nil
}

func (g *Groups) document() (*document, error) {
	s := g.Set
	trials := 0
	for _, group := range s.Groups {
		trials += len(group.Trials)
	}
	d := &document{
		Title: profilesOf(s.Groups),
		Lead:  fmt.Sprintf("%s, %s; the trial is the unit", counted(uint64(len(s.Groups)), "group"), counted(uint64(trials), "trial")),
	}
	d.judge(s, trials)
	var compared []*compare.Comparison
	var others []string
	d.Chapters = append(d.Chapters, groupsChapter(s.Groups))
	for i, name := range profileNames(s.Groups) {
		chapters, c, err := profileChapters(fmt.Sprintf("p%d", i), name, s.Groups)
		if err != nil {
			return nil, err
		}
		d.Chapters = append(d.Chapters, chapters...)
		compared, others = append(compared, c), append(others, c.OtherNotes()...)
	}
	d.Warnings = unique(slices.Concat(s.Notes, compare.SampleNotes(compared...), others))
	d.OfTrials = trialWarnings(s.Groups)
	if len(g.Drawings) > 0 {
		d.Chapters = append(d.Chapters, chapter{Title: "Figures", Drawings: inlined(g.Drawings), PageOnly: true})
	}
	d.Chapters = append(d.Chapters, phasesChapter(s.Groups), g.trialsChapter())
	if len(s.Excluded) > 0 {
		d.Chapters = append(d.Chapters, excludedChapter(s))
	}
	if len(g.Course) > 0 {
		d.Chapters = append(d.Chapters, happeningsChapter(g.Course))
	}
	d.Chapters = append(d.Chapters, reproduceChapter(s.Groups, g.Argv), environmentChapter(s.Groups))
	return d, nil
}

// maxReasons of trials that are left out stand on top; a chapter has them all.
const maxReasons = 3

// judge says how many trials count; why some do not are the reasons.
func (d *document) judge(s *compare.Set, trials int) {
	var failed, doubtful int
	for _, g := range s.Groups {
		for _, t := range g.Trials {
			switch t.Summary.Verdict {
			case analysis.Valid:
			case analysis.ThresholdsFailed:
				failed++
			default:
				doubtful++
			}
		}
	}
	all := counted(uint64(trials+len(s.Excluded)), "trial")
	d.Verdict = string(analysis.Partial)
	switch {
	case doubtful > 0:
		d.Verdict, d.Says = string(analysis.Invalid), fmt.Sprintf("%d of %s invalid or partial, and taken in", doubtful, all)
	case len(s.Excluded) > 0:
		d.Says = fmt.Sprintf("%d of %s count", trials, all)
	case failed > 0:
		d.Says = fmt.Sprintf("%d of %s failed a threshold of their profile", failed, all)
	default:
		d.Verdict, d.Says = string(analysis.Valid), all+", all valid"
	}
	for i, e := range s.Excluded {
		if i == maxReasons {
			d.Reasons = append(d.Reasons, fmt.Sprintf("%d more are left out, see below", len(s.Excluded)-i))
			break
		}
		d.Reasons = append(d.Reasons, filepath.Base(e.Dir)+" is left out: "+e.Why)
	}
	d.Reasons = append(d.Reasons, s.Rules...)
}

// trialWarnings are those of the trials themselves, each once, with how many
// trials of which group gave it.
func trialWarnings(groups []*compare.Group) []string {
	type origin struct {
		group int
		text  string
	}
	times := map[origin]int{}
	var order []origin
	for i, g := range groups {
		for _, t := range g.Trials {
			for _, w := range t.Summary.Warnings {
				o := origin{i, w}
				if times[o] == 0 {
					order = append(order, o)
				}
				times[o]++
			}
		}
	}
	var out []string
	for _, o := range order {
		out = append(out, fmt.Sprintf("%s, %d of %s: %s", groups[o.group].Letter, times[o], counted(uint64(len(groups[o.group].Trials)), "trial"), o.text))
	}
	return out
}

func unique(texts []string) (out []string) {
	seen := map[string]bool{}
	for _, t := range texts {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

func profileNames(groups []*compare.Group) (names []string) {
	for _, g := range groups {
		if !slices.Contains(names, g.Profile) {
			names = append(names, g.Profile)
		}
	}
	return names
}

func profilesOf(groups []*compare.Group) string {
	names := profileNames(groups)
	if len(names) > 2 {
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], len(names)-2)
	}
	if len(names) == 2 {
		return names[0] + " and " + names[1]
	}
	return names[0]
}

// relative is a link from the page to a path.
func (g *Groups) relative(path string) string {
	folder, err := filepath.Abs(g.Folder)
	if err == nil {
		if path, err = filepath.Abs(path); err == nil {
			path, err = filepath.Rel(folder, path)
		}
	}
	if err != nil {
		return "" // no way from here: the name alone is shown
	}
	return (&url.URL{Path: filepath.ToSlash(path)}).String()
}
