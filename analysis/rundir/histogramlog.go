package rundir

import (
	"fmt"
	"io"
	"net/url"
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
	{"connect_wait", func(t *Tally) *Distribution { return &t.ConnectWait }},
	{"service", func(t *Tally) *Distribution { return &t.Service }},
	{"response", func(t *Tally) *Distribution { return &t.Response }},
	{"failed", func(t *Tally) *Distribution { return &t.Failed }},
}

// histogramHead begins a log: format version, start of the run, column names.
const histogramHead = `#[Histogram log format version %s]
#[StartTime: %.3f (seconds since epoch), %s]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
`

// A stretch is a tally with what latency.hlog says of it.
type stretch struct {
	tag             string // without its metric
	startNS, length int64
	tally           *Tally
}

// stretches are the phases of a run, tagged cycle.phase, and then its functions,
// tagged fn.name. A name may hold anything and a tag no comma, space or line
// break, so names are escaped as in a URL's query.
func stretches(m *Manifest, a Accounts) []stretch {
	out := make([]stretch, 0, len(a.Phases)+len(a.Functions))
	for i, p := range m.Phases {
		out = append(out, stretch{strconv.Itoa(p.Cycle) + "." + url.QueryEscape(p.Name), p.StartNS, p.LengthNS, &a.Phases[i]})
	}
	for i := range a.Functions {
		out = append(out, stretch{"fn." + url.QueryEscape(m.Functions[i]), 0, m.DurationNS, &a.Functions[i]})
	}
	return out
}

// writeHistograms writes latency.hlog: one line a distribution that holds a
// value, in nanoseconds, readable by every HdrHistogram log reader.
func writeHistograms(dir string, m *Manifest, a Accounts) error {
	return ReplaceWith(dir, HistogramsFile, func(w io.Writer) error {
		started := time.Unix(0, m.StartedUnixNS).UTC()
		if _, err := fmt.Fprintf(w, histogramHead, hdr.HISTOGRAM_LOG_FORMAT_VERSION,
			float64(m.StartedUnixNS)/1e9, started.Format(time.RFC3339Nano)); err != nil {
			return err
		}
		var coder histogramCoder
		for _, s := range stretches(m, a) {
			for _, m := range metrics {
				d := m.of(s.tally)
				if d.N == 0 {
					continue
				}
				text, err := coder.encode(d)
				if err != nil {
					return err
				}
				// Start and length in seconds, the maximum in milliseconds.
				if _, err := fmt.Fprintf(w, "Tag=%s.%s,%.3f,%.3f,%.6f,%s\n", m.name, s.tag,
					float64(s.startNS)/1e9, float64(s.length)/1e9, float64(d.Max)/1e6, text); err != nil {
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
