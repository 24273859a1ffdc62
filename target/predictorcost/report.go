package predictorcost

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// JSON writes the report.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Text writes the tables as people read them.
func (r *Report) Text(w io.Writer) error {
	fmt.Fprintln(w, "one decision of a policy, caches warm; single decisions include the reading of the clock")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "policy\tmean\tsingle p50\tp99\tallocations\t")
	for _, d := range r.Decisions {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.4g\t\n", d.Policy, short(d.MeanNS), short(float64(d.P50NS)), short(float64(d.P99NS)), d.Allocations)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(r.Engines) > 0 {
		fmt.Fprintf(w, "arima fits in this process here; in a live node a decision only asks. A forecast of its model: %s\n\n", short(float64(r.ForecastNS)))
		if err := r.fits(w); err != nil {
			return err
		}
	}
	if r.Interrupted {
		fmt.Fprintln(w, "interrupted: this is what there was")
	}
	return nil
}

func (r *Report) fits(w io.Writer) error {
	fmt.Fprintln(w, "a fit of ARIMA(2,1,2) and a forecast, by a process of its own, from question to answer")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "windows\t")
	var missing []string
	var measured []Engine
	for _, e := range r.Engines {
		if e.Missing != "" {
			missing = append(missing, e.Missing)
			continue
		}
		measured = append(measured, e)
		fmt.Fprintf(t, "%s p50\tmax\t", e.Name)
	}
	fmt.Fprintln(t, "statsmodels as noted elsewhere\t")
	for i, n := range windows {
		fmt.Fprintf(t, "%d\t", n)
		for _, e := range measured {
			fmt.Fprintf(t, "%s\t%s\t", short(float64(e.Fits[i].P50NS)), short(float64(e.Fits[i].MaxNS)))
		}
		fmt.Fprintf(t, "%v\t\n", noted[n])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, e := range measured {
		fmt.Fprintf(w, "%s: first answer after %s; RSS %.1f MB, PSS %.1f MB, USS %.1f MB\n", e.Name, short(float64(e.FirstNS)),
			float64(e.Memory.RSS)/1e6, float64(e.Memory.PSS)/1e6, float64(e.Memory.USS)/1e6)
	}
	if len(missing) > 0 {
		fmt.Fprintln(w, "not measured: "+strings.Join(missing, "; "))
	}
	return nil
}

// short is a duration with three digits.
func short(ns float64) string {
	unit := time.Nanosecond
	for _, u := range []time.Duration{time.Microsecond, time.Millisecond, time.Second} {
		if ns >= float64(u) {
			unit = u
		}
	}
	return fmt.Sprintf("%.3g %s", ns/float64(unit), strings.TrimPrefix(unit.String(), "1"))
}
