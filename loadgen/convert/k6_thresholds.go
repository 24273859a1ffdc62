package convert

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// k6Metrics are k6's metrics that are one of ours, with the unit of a limit. k6's
// http_req_duration begins when a request is sent, so it is service time.
var k6Metrics = map[string]struct{ metric, unit string }{
	"http_req_duration":  {"service", "ms"},
	"http_req_failed":    {"error_rate", "%"},
	"http_reqs":          {"counts.sent", ""},
	"dropped_iterations": {"counts.dropped", ""},
	"iterations":         {"counts.sent", ""},
}

var k6Times = map[string]string{"avg": "mean", "min": "min", "med": "p50", "max": "max", "p(50)": "p50", "p(90)": "p90", "p(95)": "p95", "p(99)": "p99", "p(99.9)": "p999"}

var k6Expression = regexp.MustCompile(`^\s*([a-z]+(?:\(\s*[0-9.]+\s*\))?)\s*(<=|>=|<|>)\s*([0-9.]+)\s*$`)

func (k *k6) thresholds(n node) {
	if !n.object {
		k.d.fault(n.at, "thresholds: want an object of lists by metric")
		return
	}
	for _, f := range n.fields {
		items := f.items
		if !f.list {
			items = []node{f.node}
		}
		for _, item := range items {
			if inner, ok := item.field("threshold"); ok {
				if abort, _ := item.field("abortOnFail"); abort.value == true {
					k.d.lost(abort.at, "abortOnFail", "thresholds are held against the whole run, at its end")
				}
				item = inner
			}
			k.threshold(f.name, item)
		}
	}
}

func (k *k6) threshold(metric string, n node) {
	text, ok := n.text()
	if !ok {
		k.d.fault(n.at, "thresholds: %s: want an expression such as \"p(95)<200\"", clip(metric))
		return
	}
	what := "threshold " + clip(metric) + ": " + clip(text)
	ours, known := k6Metrics[metric]
	m := k6Expression.FindStringSubmatch(text)
	switch {
	case strings.Contains(metric, "{"):
		k.d.lost(n.at, what, "requests have no tags; a phase or a function may stand in front of a metric: docs/thresholds.md")
	case !known:
		k.d.lost(n.at, what, "no metric of ours is the same; loadgen list metrics")
	case m == nil:
		k.d.lost(n.at, what, "only <, <=, > and >= can be held against a number")
	default:
		k.bound(n.at, what, ours.metric, ours.unit, m)
	}
}

func (k *k6) bound(at position, what, metric, unit string, m []string) {
	aggregate := strings.ReplaceAll(m[1], " ", "")
	limit, err := strconv.ParseFloat(m[3], 64)
	if err != nil {
		k.d.lost(at, what, "its limit is no number")
		return
	}
	switch metric {
	case "service":
		own, ok := k6Times[aggregate]
		if !ok {
			k.d.lost(at, what, "known are min, mean, p50, p90, p95, p99, p999 and max")
			return
		}
		metric += "." + own
		k.d.note(at, "%s became %s, which counts from when a request is sent, as k6 does; response.%s counts from when it was due", what, metric, own)
	case "error_rate":
		if aggregate != "rate" {
			k.d.lost(at, what, "a share is a rate")
			return
		}
		limit = math.Round(limit*100*1e9) / 1e9 // 0.07 is 7 %, not 7.000000000000001
	default:
		if aggregate == "rate" && metric == "counts.sent" {
			metric, unit = "rate.sent", "/s"
		} else if aggregate != "count" {
			k.d.lost(at, what, "a counter has a count")
			return
		}
	}
	k.d.bounds = append(k.d.bounds, metric+" "+m[2]+" "+strconv.FormatFloat(limit, 'f', -1, 64)+unit)
}
