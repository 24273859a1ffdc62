// Package figures draws runs and models as pictures for papers: SVG and PNG,
// one file a figure, readable in print and by the colour-blind (every curve has
// a dash and every group a glyph of its own beside its colour). It decides what
// is drawn and how; every number comes from analysis.
package figures

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A Figure is an entry of the registry: a picture of runs.
type Figure struct {
	Name string // of its files
	Help string // one line
	Draw func(runs []*Run) (*Picture, error)
}

// ErrNoData is wrapped by a Draw that has nothing to show: the runs lack what
// the figure is about, which is no fault of theirs.
var ErrNoData = errors.New("nothing to draw")

// Figures lists the pictures of runs. A figure is one file and one line here.
func Figures() []Figure {
	return []Figure{
		{"timeline", "requests a second as planned and answered, phases that are measured shaded", timeline},
		{"cold-cycles", "cold starts of each measured phase, cycle by cycle, with intervals over trials", coldCycles},
		{"workers-memory", "workers, PSS and RSS over time", workersMemory},
		{"policy-trace", "the policy's rate, baseline and CUSUM with its alarms and targets", policyTrace},
		{"latency", "response times: CDF, and CCDF on log axes", latency},
		{"lag", "how late the generator sent, as CCDF and over time", lag},
		{"pareto", "what each group of trials costs against its cold starts, with the frontier", paretoOfRuns},
		{"warmup-sweep", "cold starts over the length of the warm-up, the study's beside ours", warmupSweep},
		{"arrivals-qq", "gaps between arrivals against the quantiles of their law", arrivalsQQ},
	}
}

// A Drawn is a figure that had something to show.
type Drawn struct {
	Figure
	*Picture
}

// DrawAll draws figures of the runs, those named or, without names, every one. A
// figure without data is left out; one that fails does not keep the others back.
func DrawAll(runs []*Run, names ...string) ([]Drawn, error) {
	var (
		drawn  []Drawn
		faults []error
	)
	for _, f := range Figures() {
		if len(names) > 0 && !slices.Contains(names, f.Name) {
			continue
		}
		p, err := f.Draw(runs)
		switch {
		case errors.Is(err, ErrNoData):
		case err != nil:
			faults = append(faults, fmt.Errorf("figure %s: %w", f.Name, err))
		default:
			drawn = append(drawn, Drawn{f, p})
		}
	}
	return drawn, errors.Join(faults...)
}

// WriteAll writes figures into dir, as SVG and PNG, and returns the names of
// those written.
func WriteAll(dir string, drawn []Drawn) (names []string, err error) {
	for _, d := range drawn {
		if e := d.Write(dir, d.Name); e != nil {
			err = errors.Join(err, fmt.Errorf("figure %s: %w", d.Name, e))
			continue
		}
		names = append(names, d.Name)
	}
	return names, err
}

// SVG is the picture as a file of that format.
func (p *Picture) SVG() ([]byte, error) {
	var b bytes.Buffer
	err := p.draw(&b, "svg")
	return b.Bytes(), err
}

// Write draws the picture as dir/name.svg and dir/name.png and makes dir.
func (p *Picture) Write(dir, name string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, format := range []string{"svg", "png"} {
		if err := p.writeFile(filepath.Join(dir, name+"."+format), format); err != nil {
			return err
		}
	}
	return nil
}

func (p *Picture) writeFile(path, format string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(p.draw(f, format), f.Close())
}
