package figures

import (
	"fmt"
	"math"

	"edgebench/analysis/rundir"
)

// workersMemory shows workers and memory over time, a curve a run.
func workersMemory(runs []*Run) (*Picture, error) {
	workers := newPanel("Workers", "", "worker processes")
	pssOf := newPanel("Memory of the node: PSS, every page counted once", "", "MB")
	rssOf := newPanel("RSS: a shared page counted once a process", "time (s)", "MB")
	any, memory := false, false
	if len(runs) > 0 {
		runs[0].shadeInto(workers)
	}
	names := legendOf(runs)
	for _, r := range runs {
		if len(r.monitor) == 0 {
			continue
		}
		any = true
		at := make([]float64, len(r.monitor))
		n, pss, rss := make([]float64, len(at)), make([]float64, len(at)), make([]float64, len(at))
		known := false
		for k, row := range r.monitor {
			at[k] = float64(row.TNS) / 1e9
			n[k], pss[k], rss[k] = scaled(row.Workers, 1), scaled(row.PSSBytes, 1e6), scaled(row.RSSBytes, 1e6)
			known = known || row.PSSBytes.Known
		}
		if err := addCurve(workers, r.style, curve{names.label(r), at, n, true}.thin(drawn)); err != nil {
			return nil, err
		}
		if !known {
			continue // simulated: memory has no column
		}
		memory = true
		err := addCurve(pssOf, r.style, curve{"", at, pss, false}.thin(drawn))
		if err == nil {
			err = addCurve(rssOf, r.style, curve{"", at, rss, false}.thin(drawn))
		}
		if err != nil {
			return nil, err
		}
	}
	if !any {
		return nil, fmt.Errorf("%w: nothing was sampled", ErrNoData)
	}
	for _, p := range []*panel{workers, pssOf, rssOf} {
		p.Y.Min, p.X.Min = 0, 0
	}
	if !memory {
		workers.X.Label.Text = "time (s)"
		return pictureOf(workers), nil
	}
	return pictureOf(workers, pssOf, rssOf), nil
}

func scaled(n rundir.Number, unit float64) float64 {
	if !n.Known {
		return math.NaN()
	}
	return n.Value / unit
}
