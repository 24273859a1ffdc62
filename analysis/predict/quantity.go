package predict

import (
	"edgebench/analysis"
	"edgebench/profiles"
)

// A quantity is something a run has a number for.
type quantity struct {
	name, unit string
	of         func(*scoped) *float64
}

// Names of the quantities that steady states have too.
const (
	throughput = "X"
	response   = "R"
	population = "N"
	p50        = "p50"
	p90        = "p90"
	p99        = "p99"
)

// quantities in the order of the table. Times are response times of ok.
var quantities = []quantity{
	{throughput, "1/s", func(s *scoped) *float64 { return s.throughput }},
	{response, "ms", func(s *scoped) *float64 { return s.response }},
	{population, "requests", func(s *scoped) *float64 { return s.population() }},
	{p50, "ms", func(s *scoped) *float64 { return milliseconds(s.times.P50NS) }},
	{p90, "ms", func(s *scoped) *float64 { return milliseconds(s.times.P90NS) }},
	{p99, "ms", func(s *scoped) *float64 { return milliseconds(s.times.P99NS) }},
	{"cold", "requests", func(s *scoped) *float64 { return s.cold }},
	{"above threshold", "requests", func(s *scoped) *float64 { return s.above }},
	{"workers mean", "", func(s *scoped) *float64 { return s.workersMean }},
	{"workers max", "", func(s *scoped) *float64 { return s.workersMax }},
}

// scopes are the whole run and, where there is more than one, each name of a
// phase that has a rate.
func scopes(p *profiles.Profile) []string {
	names := []string{Whole}
	for _, ph := range p.Phases {
		if !ph.Rate.Silent() {
			names = append(names, ph.Name)
		}
	}
	if len(names) == 2 {
		return names[:1]
	}
	return names
}

// scoped is a summary seen through one scope; nil is what it does not tell.
type scoped struct {
	throughput, response    *float64 // 1/s; ms
	times                   analysis.Distribution
	cold, above             *float64
	workersMean, workersMax *float64
}

// population is N = X·R: requests in the system on average, by Little's law.
func (s *scoped) population() *float64 {
	if s.throughput == nil || s.response == nil {
		return nil
	}
	return new(*s.throughput * *s.response / 1e3)
}

func scopeOf(s *analysis.Summary, name string) *scoped {
	if name == Whole {
		out := accountOf(&s.Account)
		out.workersMean = s.Resources.WorkersMean
		if most := s.Resources.WorkersMax; most != nil {
			out.workersMax = new(float64(*most))
		}
		return out
	}
	for i := range s.Measured {
		if s.Measured[i].Name == name {
			return accountOf(&s.Measured[i].All)
		}
	}
	return phasesOf(s, name)
}

func accountOf(a *analysis.Account) *scoped {
	out := &scoped{throughput: a.Rate.OKRPS, response: milliseconds(a.Response.MeanNS), times: a.Response}
	out.cold, out.above = count(a.Cold.Truth), count(a.Cold.ByThreshold)
	return out
}

// phasesOf joins the cycles of a phase. Counts and means join exactly; quantiles
// do not, so they are told only of a phase that is there once.
func phasesOf(s *analysis.Summary, name string) *scoped {
	var (
		out              scoped
		n                int
		ok, sum, seconds float64
	)
	for i := range s.Phases {
		ph := &s.Phases[i]
		if ph.Name != name {
			continue
		}
		n++
		out.times = ph.Response
		seconds += float64(ph.LengthNS) / 1e9
		ok += float64(ph.Counts.OK)
		if mean := milliseconds(ph.Response.MeanNS); mean != nil {
			sum += *mean * float64(ph.Counts.OK)
		}
		out.cold, out.above = plus(out.cold, count(ph.Cold.Truth)), plus(out.above, count(ph.Cold.ByThreshold))
	}
	if n != 1 {
		out.times = analysis.Distribution{}
	}
	if seconds > 0 {
		out.throughput = new(ok / seconds)
	}
	if ok > 0 {
		out.response = new(sum / ok)
	}
	return &out
}

// plus adds counts of which either may be unknown.
func plus(a, b *float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(*a + *b)
}

func count(n *uint64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

func milliseconds(ns *int64) *float64 {
	if ns == nil {
		return nil
	}
	return new(float64(*ns) / 1e6)
}

// trials are the values of a quantity over summaries, those that have one.
func trials(summaries []*analysis.Summary, scope string, q quantity) []float64 {
	var values []float64
	for _, s := range summaries {
		if v := q.of(scopeOf(s, scope)); v != nil {
			values = append(values, *v)
		}
	}
	return values
}
