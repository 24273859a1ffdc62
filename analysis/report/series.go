package report

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"edgebench/analysis/look"
	"edgebench/analysis/rundir"
)

// A chart is one set of curves over one time axis in seconds.
type chart struct {
	ID     string        `json:"id"`
	Title  string        `json:"title"`
	Unit   string        `json:"unit"`
	Log    bool          `json:"log"`
	Labels []curve       `json:"curves"`
	X      look.Series   `json:"x"`
	Y      []look.Series `json:"-"`
	always int           // curves from here on are left out when they are 0 throughout; 0 keeps all
	marks  bool          // carries the policy's alarms
	Note   string        `json:"-"`
}

type curve struct {
	Label  string `json:"label"`
	Colour string `json:"colour"` // name of a colour in look/base.css
	Step   bool   `json:"step"`
	Dash   bool   `json:"dash"`
	Range  bool   `json:"range"` // two columns follow its own: the ends of a range
}

func (c *chart) row(x float64, y ...float64) {
	if c.Y == nil {
		c.Y = make([]look.Series, len(c.Labels))
	}
	c.X = append(c.X, x)
	for i := range c.Labels {
		c.Y[i] = append(c.Y[i], y[i])
	}
}

// dropZeros leaves out optional curves that never leave the axis: they would
// only hide the others.
func (c *chart) dropZeros() {
	if c.always == 0 {
		return
	}
	labels, y := c.Labels[:c.always:c.always], c.Y[:c.always:c.always]
	for i := c.always; i < len(c.Y); i++ {
		if slices.ContainsFunc(c.Y[i], func(v float64) bool { return v != 0 }) {
			labels, y = append(labels, c.Labels[i]), append(y, c.Y[i])
		}
	}
	c.Labels, c.Y = labels, y
}

// Alt is the chart in words, for those who do not see it: what it shows and how
// far each curve goes.
func (c *chart) Alt() string {
	text, column := c.Title, 0
	if n := len(c.X); n > 0 {
		text += " over " + clock(int64(c.X[n-1]*1e9))
	}
	for _, l := range c.Labels {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range c.Y[column] {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
		column++
		if l.Range {
			column += 2
		}
		if low <= high {
			text += fmt.Sprintf("; %s from %s to %s", l.Label, digits(low), digits(high))
			if c.Unit != "" {
				text += " " + c.Unit
			}
		}
	}
	return text
}

// maxPoints a chart keeps. A screen has fewer columns than that.
const maxPoints = 2000

// thin replaces neighbouring points by their smallest and largest value, curve
// by curve in the order in which they came, so that no extreme is lost. Both
// stand at instants of the points they replace.
func (c *chart) thin() {
	n := len(c.X)
	if n <= maxPoints {
		return
	}
	buckets := maxPoints / 2
	x := make(look.Series, 0, maxPoints)
	y := make([]look.Series, len(c.Y))
	for b := range buckets {
		from, to := b*n/buckets, (b+1)*n/buckets
		x = append(x, c.X[from], c.X[(from+to)/2])
		for i, column := range c.Y {
			first, second := extremes(column[from:to])
			y[i] = append(y[i], first, second)
		}
	}
	c.X, c.Y = x, y
	c.Note = "thinned for display: each pair of points is the smallest and the largest value of its stretch"
}

func extremes(values look.Series) (first, second float64) {
	low, high := -1, -1
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if low < 0 || v < values[low] {
			low = i
		}
		if high < 0 || v > values[high] {
			high = i
		}
	}
	if low < 0 {
		return math.NaN(), math.NaN()
	}
	return values[min(low, high)], values[max(low, high)]
}

// loadCharts reads the run's own series. A file that is not there gives no
// chart; a damaged one is an error, since the summary was made from the same run.
func loadCharts(run *rundir.Run) ([]*chart, error) {
	seconds, err := secondCharts(run)
	if err != nil {
		return nil, err
	}
	sampled, err := monitorCharts(run)
	if err != nil {
		return nil, err
	}
	var charts []*chart
	for _, c := range append(seconds[:2:2], append(sampled, seconds[2])...) {
		if len(c.X) > 0 {
			c.dropZeros()
			c.thin()
			charts = append(charts, c)
		}
	}
	return charts, nil
}

func secondCharts(run *rundir.Run) ([]*chart, error) {
	rate := &chart{ID: "rate", Title: "Requests per second", Unit: "/s", always: 2, Labels: []curve{
		{"offered", "blue", true, false, false}, {"ok", "green", true, true, false}, {"errors", "red", true, false, false}, {"dropped", "purple", true, false, false}, {"cold", "orange", true, false, false},
	}}
	response := &chart{ID: "response", Title: "Response time", Unit: "ms", Labels: []curve{
		{"p50", "green", false, false, false}, {"p90", "blue", false, false, false}, {"p99", "orange", false, false, false}, {"max", "red", false, true, false},
	}}
	lag := &chart{ID: "lag", Title: "Lag of the generator", Unit: "ms", Log: true, Labels: []curve{
		{"p99", "blue", false, false, false}, {"max", "red", false, true, false},
	}}
	_, err := rundir.ReadTimeseries(run.Dir, func(v rundir.Interval) error {
		at := float64(v.Second)
		rate.row(at, float64(v.Scheduled), float64(v.OK), float64(v.Errors), float64(v.Dropped), float64(v.Cold))
		response.row(at, look.Milliseconds(v.OK, v.ResponseP50NS), look.Milliseconds(v.OK, v.ResponseP90NS), look.Milliseconds(v.OK, v.ResponseP99NS), look.Milliseconds(v.OK, v.ResponseMaxNS))
		lag.row(at, look.Milliseconds(v.Sent, v.LagP99NS), look.Milliseconds(v.Sent, v.LagMaxNS))
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return []*chart{rate, response, lag}, err
}

func monitorCharts(run *rundir.Run) ([]*chart, error) {
	workers := &chart{ID: "workers", Title: "Workers", Unit: "", marks: true, Labels: []curve{{"workers", "blue", true, false, false}}}
	memory := &chart{ID: "memory", Title: "Memory of the node", Unit: "MB", Labels: []curve{
		{"PSS", "blue", false, false, false}, {"RSS", "orange", false, true, false},
	}}
	cpu := &chart{ID: "cpu", Title: "CPU in use", Unit: "cores", Labels: []curve{{"node", "blue", false, false, false}, {"generator", "orange", false, true, false}}}
	var before rundir.MonitorRow
	_, err := rundir.ReadMonitor(run.Dir, func(r *rundir.MonitorRow) error {
		at := float64(r.TNS) / 1e9
		if r.Workers.Known || r.PSSBytes.Known {
			workers.row(at, look.Value(r.Workers, 1))
			memory.row(at, look.Value(r.PSSBytes, 1e6), look.Value(r.RSSBytes, 1e6))
		}
		cpu.row(at, look.Value(r.CPUShare, 1), growth(before.GeneratorCPUSeconds, r.GeneratorCPUSeconds, float64(r.TNS-before.TNS)/1e9))
		before = *r
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return []*chart{workers, memory, cpu}, err
}

func growth(before, now rundir.Number, seconds float64) float64 {
	if !before.Known || !now.Known || seconds <= 0 {
		return math.NaN()
	}
	return (now.Value - before.Value) / seconds
}

// maxMarks bounds the alarms drawn: more would be a grey wall.
const maxMarks = 300

// loadAlarms returns the instants of the policy's alarms in seconds of the run.
func loadAlarms(run *rundir.Run) (look.Series, error) {
	var at look.Series
	_, err := rundir.ReadEvents(run.Dir, func(e *rundir.Event) error {
		if e.Event == "alarm" && len(at) < maxMarks {
			at = append(at, float64(e.UnixNS-run.Manifest.StartedUnixNS)/1e9)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return at, err
}
