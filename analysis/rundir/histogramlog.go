package rundir

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// metrics names the distributions of a tally, in the order of latency.hlog.
var metrics = [...]struct {
	name string
	of   func(*Tally) *Distribution
}{
	{"lag", func(t *Tally) *Distribution { return &t.Lag }},
	{"service", func(t *Tally) *Distribution { return &t.Service }},
	{"response", func(t *Tally) *Distribution { return &t.Response }},
	{"failed", func(t *Tally) *Distribution { return &t.Failed }},
}

// histogramHead begins a log: format version, start of the run, column names.
const histogramHead = `#[Histogram log format version %s]
#[StartTime: %.3f (seconds since epoch), %s]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
`

// tag is metric.cycle.phase. A phase may have any name and a tag no comma, space
// or line break, so a name is escaped as in a URL's query.
func tag(metric string, p PhaseFact) string {
	return metric + "." + strconv.Itoa(p.Cycle) + "." + url.QueryEscape(p.Name)
}

// writeHistograms writes latency.hlog: one line a distribution that holds a
// value, in nanoseconds, readable by every HdrHistogram log reader.
func writeHistograms(dir string, startedUnixNS int64, phases []PhaseFact, tallies []Tally) error {
	return ReplaceWith(dir, HistogramsFile, func(w io.Writer) error {
		started := time.Unix(0, startedUnixNS).UTC()
		if _, err := fmt.Fprintf(w, histogramHead, hdr.HISTOGRAM_LOG_FORMAT_VERSION,
			float64(startedUnixNS)/1e9, started.Format(time.RFC3339Nano)); err != nil {
			return err
		}
		var coder histogramCoder
		for i, p := range phases {
			for _, m := range metrics {
				d := m.of(&tallies[i])
				if d.N == 0 {
					continue
				}
				text, err := coder.encode(d)
				if err != nil {
					return err
				}
				// Start and length in seconds, the maximum in milliseconds.
				if _, err := fmt.Fprintf(w, "Tag=%s,%.3f,%.3f,%.6f,%s\n", tag(m.name, p),
					float64(p.StartNS)/1e9, float64(p.LengthNS)/1e9, float64(d.Max)/1e6, text); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writePercentiles writes latency.hgrm: response times of the whole run in
// milliseconds, in the text form HdrHistogram's plotters read.
func writePercentiles(dir string, total *Tally) error {
	return ReplaceWith(dir, PercentileFile, func(w io.Writer) error {
		_, err := total.Response.HDR().PercentilesPrint(w, 5, 1e6)
		return err
	})
}

// ReadHistograms gives the distributions of tallies that ReadTotals read their
// counters from latency.hlog. A missing line is an error, a line for no
// distribution of ours is not.
func ReadHistograms(dir string, phases []PhaseFact, tallies []Tally) error {
	path := filepath.Join(dir, HistogramsFile)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	missing := map[string]*Distribution{}
	for i := range tallies {
		for _, m := range metrics {
			if d := m.of(&tallies[i]); d.N > 0 {
				missing[tag(m.name, phases[i])] = d
			}
		}
	}
	log := hdr.NewHistogramLogReader(f)
	for {
		h, err := log.NextIntervalHistogram()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if h == nil {
			break
		}
		d, ok := missing[h.Tag()]
		if !ok {
			continue
		}
		if err := d.SetHDR(h); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		delete(missing, h.Tag())
	}
	for tag := range missing {
		return fmt.Errorf("%s: no histogram %q (%d missing)", path, tag, len(missing))
	}
	return nil
}
