package predict

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"edgebench/analysis/qpn"
	"edgebench/profiles"
	"edgebench/profiles/model"
	"edgebench/target/policy"
)

// perRequest is the study's SPR: an instance a request until there are most, then
// one queue in front. Once all are there it is a fixed pool.
func perRequest(p *profiles.Profile, b *profiles.Bundled) (*qpn.Model, string) {
	return singleQueue(p.Arrivals, b.Service, b.MaxWorkers)
}

// concurrencyLimit is the study's CLS: n instances with k tokens each.
func concurrencyLimit(p *profiles.Profile, b *profiles.Bundled) (*qpn.Model, string) {
	spec := policy.Lookup(b.Policy.Name)
	order, ok := map[string]string{"overflow": "overflow", "least-loaded": "jsq", "random": "random-free"}[cmp.Or(b.Dispatch, spec.Dispatch)]
	if !ok {
		return nil, fmt.Sprintf("the model of cls has no dispatch %s", b.Dispatch)
	}
	k := cmp.Or(b.Tokens, spec.Tokens)
	server := "instance"
	switch cmp.Or(b.Servers, 1) {
	case 1:
	case k:
		server = "token"
	default:
		return nil, fmt.Sprintf("the model of cls has 1 server an instance or one a token, not %d for %d tokens", b.Servers, k)
	}
	return studyModel(p, b, "cls", fmt.Sprintf("n=%d", b.MaxWorkers), fmt.Sprintf("k=%d", k), "order="+order, "server="+server)
}

// metricsBased is the study's MBS: another instance after every window in which
// those there were busier than a threshold.
func metricsBased(p *profiles.Profile, b *profiles.Bundled) (*qpn.Model, string) {
	spec := policy.Lookup(b.Policy.Name)
	param := func(name string) float64 {
		for _, p := range spec.Params {
			if p.Name == name {
				if v, ok := b.Policy.Params[name]; ok {
					return v
				}
				return p.Default
			}
		}
		return 0
	}
	rule := cmp.Or(b.Dispatch, spec.Dispatch)
	// Round robin on the node goes by instance, not by place in the list of those
	// that are active.
	routing, ok := map[string]string{"round-robin": "next-active", "random": "random", "probabilistic": "probabilistic"}[rule]
	if !ok {
		return nil, fmt.Sprintf("the model of mbs has no dispatch %s", rule)
	}
	seconds := func(d time.Duration) string { return fmt.Sprint(d.Seconds()) }
	return studyModel(p, b, "mbs", fmt.Sprintf("n=%d", b.MaxWorkers), fmt.Sprintf("start=%d", max(b.Workers, int(param("floor")))),
		"window="+seconds(b.Tick), fmt.Sprintf("threshold=%g", param("threshold")), fmt.Sprintf("idle=%g", param("idle")),
		"delay="+seconds(b.StartDelay), "routing="+routing)
}

// studyModel is one of the embedded models with the profile's arrivals and
// service, which have to be those it knows.
func studyModel(p *profiles.Profile, b *profiles.Bundled, name string, sets ...string) (*qpn.Model, string) {
	if b.Service.Law != "exponential" {
		return nil, fmt.Sprintf("the model of %s has exponential service, the profile %s", name, b.Service.Law)
	}
	switch p.Arrivals.Law {
	case "poisson", "h2":
	default:
		return nil, fmt.Sprintf("the model of %s has h2 or poisson arrivals, the profile %s", name, p.Arrivals.Law)
	}
	sets = append(sets, "mu="+fmt.Sprint(1/b.Service.Mean.Seconds()), "arrivals="+p.Arrivals.Law)
	if p.Arrivals.Law == "h2" {
		sets = append(sets, fmt.Sprintf("p=%g", p.Arrivals.Params.Number("p")), fmt.Sprintf("scv=%g", p.Arrivals.Params.Number("scv")))
	}
	parsed := make([]model.Set, len(sets))
	for i, text := range sets {
		s, err := model.ParseSet(text)
		if err != nil {
			return nil, err.Error()
		}
		parsed[i] = s
	}
	m, err := model.Load(name, parsed)
	if err != nil {
		return nil, err.Error()
	}
	m.Description = fmt.Sprintf("%s with %s", m.Title(), strings.Join(sets, " "))
	return m, ""
}
