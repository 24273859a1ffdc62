package coldstart

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"edgebench/target/smaps"
)

// JSON writes the report, indented.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// MarshalJSON has null where there is no value.
func (l Latency) MarshalJSON() ([]byte, error) {
	ns := func(d time.Duration) *int64 {
		if l.N == 0 {
			return nil
		}
		return (*int64)(&d)
	}
	return json.Marshal(struct {
		N       int    `json:"n"`
		Min     *int64 `json:"min_ns"`
		P50     *int64 `json:"p50_ns"`
		P50Low  *int64 `json:"p50_low_ns"`
		P50High *int64 `json:"p50_high_ns"`
		P99     *int64 `json:"p99_ns"`
		P99Low  *int64 `json:"p99_low_ns"`
		P99High *int64 `json:"p99_high_ns"`
		Max     *int64 `json:"max_ns"`
	}{
		l.N, ns(l.Min), ns(l.P50.Value), (*int64)(l.P50.Low), (*int64)(l.P50.High),
		ns(l.P99.Value), (*int64)(l.P99.Low), (*int64)(l.P99.High), ns(l.Max),
	})
}

// MarshalJSON has the sums over the workers, with the template and without.
func (s State) MarshalJSON() ([]byte, error) {
	all := s.All()
	return json.Marshal(struct {
		State       string `json:"state"`
		RSS         int64  `json:"rss_bytes"`
		PSS         int64  `json:"pss_bytes"`
		USS         int64  `json:"uss_bytes"`
		TemplateRSS *int64 `json:"template_rss_bytes"`
		TemplatePSS *int64 `json:"template_pss_bytes"`
		AllRSS      int64  `json:"with_template_rss_bytes"`
		AllPSS      int64  `json:"with_template_pss_bytes"`
	}{
		s.Name, s.Workers.RSS, s.Workers.PSS, s.Workers.USS,
		s.template(func(m smaps.Memory) int64 { return m.RSS }), s.template(func(m smaps.Memory) int64 { return m.PSS }),
		all.RSS, all.PSS,
	})
}

func (s State) template(field func(smaps.Memory) int64) *int64 {
	if s.Template == nil {
		return nil
	}
	n := field(*s.Template)
	return &n
}

// CSV writes every single value, one a row: a start's in the order of the
// rounds, then memory sums of all workers.
func (r *Report) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	row := func(runtime string, round int, state, quantity string, value int64) {
		number := ""
		if state == "" {
			number = strconv.Itoa(round)
		}
		_ = out.Write([]string{runtime, number, state, quantity, strconv.FormatInt(value, 10)}) // Error tells
	}
	_ = out.Write([]string{"runtime", "round", "state", "quantity", "value"})
	for i := range r.Results {
		result := &r.Results[i]
		for round, s := range result.starts {
			row(result.Runtime, round, "", "spawn_to_ready_ns", int64(s.ready))
			row(result.Runtime, round, "", "first_request_ns", int64(s.first))
			row(result.Runtime, round, "", "second_request_ns", int64(s.second))
		}
		for _, s := range result.Memory {
			row(result.Runtime, 0, s.Name, "rss_bytes", s.Workers.RSS)
			row(result.Runtime, 0, s.Name, "pss_bytes", s.Workers.PSS)
			row(result.Runtime, 0, s.Name, "uss_bytes", s.Workers.USS)
			if s.Template != nil {
				row(result.Runtime, 0, s.Name, "template_rss_bytes", s.Template.RSS)
				row(result.Runtime, 0, s.Name, "template_pss_bytes", s.Template.PSS)
			}
		}
	}
	out.Flush()
	return out.Error()
}
