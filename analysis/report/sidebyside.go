package report

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"edgebench/analysis/compare"
	"edgebench/analysis/look"
	"edgebench/analysis/rundir"
)

// maxSideBySide groups are drawn together: as many as have a look of their own.
const maxSideBySide = 10

// groupColours tell groups apart, by colour and then by dash.
var groupColours = []string{"blue", "orange", "green", "red", "purple"}

// A toggle shows and hides one group in all charts of a set.
type toggle struct {
	Label  string `json:"label"`
	Colour string `json:"colour"`
	Dash   bool   `json:"dash"`
}

// A measure is what one chart has of every group.
type measure struct {
	id, title, unit string
	log             bool
	unlessZero      bool                             // no chart where it is 0 throughout
	second          func(*rundir.Interval) float64   // from timeseries.csv, or
	sampled         func(*rundir.MonitorRow) float64 // from monitor.csv
}

// measures are the charts of groups side by side, in their order.
func measures() []measure {
	return []measure{
		{id: "ok", title: "Answers, ok", unit: "/s", second: func(v *rundir.Interval) float64 { return float64(v.OK) }},
		{id: "failed", title: "Errors and dropped", unit: "/s", unlessZero: true, second: func(v *rundir.Interval) float64 { return float64(v.Errors + v.Dropped) }},
		{id: "response", title: "Response time, p99 of each second", unit: "ms", second: func(v *rundir.Interval) float64 { return look.Milliseconds(v.OK, v.ResponseP99NS) }},
		{id: "cold", title: "Cold starts by the node’s mark", unit: "/s", second: func(v *rundir.Interval) float64 { return float64(v.Cold) }},
		{id: "workers", title: "Workers", sampled: func(r *rundir.MonitorRow) float64 { return look.Value(r.Workers, 1) }},
		{id: "memory", title: "Memory of the node, PSS", unit: "MB", sampled: func(r *rundir.MonitorRow) float64 { return look.Value(r.PSSBytes, 1e6) }},
		{id: "cpu", title: "CPU of the node", unit: "cores", sampled: func(r *rundir.MonitorRow) float64 { return look.Value(r.CPUShare, 1) }},
		{id: "lag", title: "Lag of the generator, p99 of each second", unit: "ms", log: true, unlessZero: true, second: func(v *rundir.Interval) float64 { return look.Milliseconds(v.Sent, v.LagP99NS) }},
	}
}

// sideBySide draws groups of one profile over one time axis, a curve a group: the
// mean over its trials, and the smallest to the largest of them behind it.
func sideBySide(prefix string, groups []*compare.Group) (set chartSet, charts []*chart, err error) {
	groups = groups[:min(len(groups), maxSideBySide)]
	set = chartSet{Key: prefix, Charts: []chartJSON{}, Bands: look.Bands(groups[0].Trials[0].Manifest.Phases)}
	read := make([]*readGroup, len(groups))
	var apart float64
	for i, g := range groups {
		set.Groups = append(set.Groups, toggle{g.Letter + " " + g.Name, groupColours[i%len(groupColours)], i >= len(groupColours)})
		if read[i], err = readSeries(g); err != nil {
			return set, nil, err
		}
		apart = max(apart, read[i].apart)
	}
	for _, m := range measures() {
		c := &chart{ID: prefix + "-" + m.id, Title: m.title, Unit: m.unit, Log: m.log}
		for i, r := range read {
			c.addGroup(set.Groups[i], r.lane(m, apart))
		}
		if c.finishGroups(m, apart); len(c.Labels) > 0 {
			charts = append(charts, c)
			set.Charts = append(set.Charts, chartJSON{chart: c, Y: c.Y})
		}
	}
	return set, charts, nil
}

// A readGroup is what the trials of a group recorded over time.
type readGroup struct {
	seconds [][]rundir.Interval
	sampled [][]rundir.MonitorRow
	apart   float64 // seconds between two samples of the monitor
}

func readSeries(g *compare.Group) (*readGroup, error) {
	out := &readGroup{}
	for _, t := range g.Trials {
		var seconds []rundir.Interval
		_, err := rundir.ReadTimeseries(t.Dir, func(v rundir.Interval) error {
			seconds = append(seconds, v)
			return nil
		})
		var sampled []rundir.MonitorRow
		_, missing := rundir.ReadMonitor(t.Dir, func(r *rundir.MonitorRow) error {
			sampled = append(sampled, *r)
			return nil
		})
		for _, err := range []error{err, missing} {
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		if n := len(sampled); n > 1 {
			out.apart = max(out.apart, float64(sampled[n-1].TNS-sampled[0].TNS)/float64(n-1)/1e9)
		}
		out.seconds, out.sampled = append(out.seconds, seconds), append(out.sampled, sampled)
	}
	return out, nil
}

// A lane is one number of a group over time, by multiples of a step.
type lane struct {
	sum, low, high []float64
	trials         []int
}

// lane has a measure of all trials. Samples of monitors are taken to the next
// multiple of apart, since no two monitors looked at the same instants.
func (g *readGroup) lane(m measure, apart float64) *lane {
	l := &lane{}
	if m.second != nil {
		for _, rows := range g.seconds {
			for i := range rows {
				l.add(int(rows[i].Second), m.second(&rows[i]))
			}
		}
		return l
	}
	for _, rows := range g.sampled {
		last, sum, n := 0, 0.0, 0
		flush := func() {
			if n > 0 {
				l.add(last, sum/float64(n))
			}
			sum, n = 0, 0
		}
		for i := range rows {
			at := int(math.Round(max(float64(rows[i].TNS)/1e9, 0) / max(apart, 1e-3)))
			if at != last {
				flush()
			}
			if v := m.sampled(&rows[i]); !math.IsNaN(v) {
				last, sum, n = at, sum+v, n+1
			}
		}
		flush()
	}
	return l
}

// add takes a trial's value at a step.
func (l *lane) add(at int, v float64) {
	if at < 0 || math.IsNaN(v) {
		return
	}
	for len(l.sum) <= at {
		l.sum, l.low, l.high, l.trials = append(l.sum, 0), append(l.low, math.NaN()), append(l.high, math.NaN()), append(l.trials, 0)
	}
	l.sum[at] += v
	l.trials[at]++
	if !(v >= l.low[at]) {
		l.low[at] = v
	}
	if !(v <= l.high[at]) {
		l.high[at] = v
	}
}

// addGroup adds a group's columns: the mean, and for several trials the ends of
// their range.
func (c *chart) addGroup(t toggle, l *lane) {
	if len(l.sum) == 0 {
		return // not measured: a simulated node has no memory
	}
	mean, several := make(look.Series, len(l.sum)), false
	for i := range mean {
		mean[i] = l.sum[i] / float64(l.trials[i]) // NaN where there is none
		several = several || l.trials[i] > 1
	}
	c.Labels = append(c.Labels, curve{Label: t.Label, Colour: t.Colour, Dash: t.Dash, Range: several})
	c.Y = append(c.Y, mean)
	if several {
		c.Y = append(c.Y, l.low, l.high)
	}
}

// finishGroups gives the columns one length and their instants, and leaves
// out what is 0 throughout where that says nothing: failures nobody had, the lag
// of a simulated generator.
func (c *chart) finishGroups(m measure, apart float64) {
	longest, most := 0, 0.0
	for _, y := range c.Y {
		longest = max(longest, len(y))
		for _, v := range y {
			if v > most { // never true of NaN
				most = v
			}
		}
	}
	if most == 0 && m.unlessZero {
		c.Labels = nil
		return
	}
	step := 1.0
	if m.sampled != nil {
		step = apart
	}
	for i := range longest {
		c.X = append(c.X, float64(i)*step)
	}
	for i, y := range c.Y {
		for len(y) < longest {
			y = append(y, math.NaN())
		}
		c.Y[i] = y
	}
	c.thin()
}

// sideBySideChapter holds the charts of a profile's groups.
func sideBySideChapter(of, prefix string, groups []*compare.Group) (chapter, error) {
	set, charts, err := sideBySide(prefix, groups)
	c := chapter{Title: of + "Over time", Set: &set, Charts: charts, PageOnly: true,
		Lead: "Each curve is the mean over a group’s trials at that instant, the band behind it the smallest to the largest of them. The buttons show and hide groups; drag to zoom, double-click to reset; all charts share the cursor."}
	if left := len(groups) - maxSideBySide; left > 0 {
		c.Notes = []string{fmt.Sprintf("%s more in the tables and figures.", counted(uint64(left), "group"))}
	}
	return c, err
}
