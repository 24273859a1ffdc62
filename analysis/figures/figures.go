// Package figures draws runs and models as pictures for papers: SVG and PNG,
// one file a figure, readable in print and by the colour-blind (every curve has
// a dash and every group a glyph of its own beside its colour). It decides what
// is drawn and how; every number comes from analysis.
package figures

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		{"arrivals-qq", "gaps between arrivals against the quantiles of their law", arrivalsQQ},
	}
}

// WriteAll draws every figure of the runs into dir, as SVG and PNG, and returns
// the names of those drawn. A figure without data is left out.
func WriteAll(dir string, runs []*Run) ([]string, error) {
	var (
		drawn  []string
		faults []error
	)
	for _, f := range Figures() {
		p, err := f.Draw(runs)
		if errors.Is(err, ErrNoData) {
			continue
		}
		if err == nil {
			err = p.Write(dir, f.Name)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("figure %s: %w", f.Name, err))
			continue
		}
		drawn = append(drawn, f.Name)
	}
	return drawn, errors.Join(faults...)
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
