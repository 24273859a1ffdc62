package analysis

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"edgebench/analysis/rundir"
)

// A kind is what a limit may be written in.
type kind int

const (
	aDuration kind = iota // 900ms
	aCount                // 12, or 10% of the metric's whole
	aShare                // 1%, or 0.01
	aRate                 // 20/s
	aSize                 // 400MB
	aNumber               // 7.5
	aSpan                 // 900ms, of a value in seconds
)

// examples of a limit of each kind.
var examples = map[kind]string{
	aDuration: "900ms", aCount: "12", aShare: "1%", aRate: "20/s", aSize: "400MB", aNumber: "7.5", aSpan: "90s",
}

// A subject is what a metric is read from: an account, and the run where it is
// the run's own.
type subject struct {
	account *Account
	run     *Summary
}

// A metric is a number that a threshold may be about.
type metric struct {
	kind  kind
	whole func(*Account) uint64 // what it is a part of; nil for none
	ofRun bool                  // of the run alone: phases and functions have none
	value func(subject) *float64
}

// A MetricInfo tells people of a metric.
type MetricInfo struct {
	Name    string
	Limit   string // an example of a limit
	Percent bool   // a limit may be a percentage of what it is a part of
	OfRun   bool   // of the whole run only
}

// Metrics are all that a threshold may be about, by name.
func Metrics() []MetricInfo {
	known := metrics()
	out := make([]MetricInfo, 0, len(known))
	for _, name := range slices.Sorted(maps.Keys(known)) {
		m := known[name]
		out = append(out, MetricInfo{Name: name, Limit: examples[m.kind], Percent: m.whole != nil, OfRun: m.ofRun})
	}
	return out
}

// metrics is every number of summary.json, by its key without the unit (a limit
// has one of its own), and two shares. The keys are read off the types, so that
// no number of the summary is left out.
func metrics() map[string]metric {
	all := map[string]metric{
		"error_rate": {kind: aShare, value: func(s subject) *float64 { return share(s.account.Counts.Errors, s.account.Counts.Sent) }},
		"drop_rate":  {kind: aShare, value: func(s subject) *float64 { return share(s.account.Counts.Dropped, s.account.Counts.Scheduled) }},
	}
	addFields(all, "", reflect.TypeFor[Account](), func(s subject) reflect.Value { return reflect.ValueOf(s.account).Elem() }, false)
	for _, of := range []struct {
		key  string
		from func(*Summary) any
	}{
		{"resources", func(s *Summary) any { return s.Resources }},
		{"generator", func(s *Summary) any { return s.Generator }},
		{"policy", func(s *Summary) any { return s.Policy }},
	} {
		addFields(all, of.key, reflect.TypeOf(of.from(&Summary{})), func(s subject) reflect.Value { return reflect.ValueOf(of.from(s.run)) }, true)
	}
	delete(all, "cold.threshold") // a setting
	for name, m := range all {
		if m.kind == aCount {
			m.whole = wholeOf(name)
			all[name] = m
		}
	}
	return all
}

// wholeOf is what a count is a part of.
func wholeOf(name string) func(*Account) uint64 {
	group, _, _ := strings.Cut(name, ".")
	switch {
	case name == "counts.planned", name == "counts.scheduled":
		return func(a *Account) uint64 { return a.Counts.Planned }
	case name == "counts.sent", name == "counts.dropped", group == "dropped_by_reason":
		return func(a *Account) uint64 { return a.Counts.Scheduled }
	case group == "counts", group == "errors_by_class":
		return func(a *Account) uint64 { return a.Counts.Sent }
	case group == "cold", group == "paths":
		return func(a *Account) uint64 { return a.Counts.OK }
	}
	return nil
}

// addFields adds the numbers of a struct under a prefix.
func addFields(all map[string]metric, prefix string, t reflect.Type, from func(subject) reflect.Value, ofRun bool) {
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if prefix != "" {
			key = prefix + "." + key
		}
		at := func(s subject) reflect.Value { return from(s).Field(i) }
		switch of := t.Field(i).Type; {
		case of.Kind() == reflect.Struct:
			addFields(all, key, of, at, ofRun)
		case of.Kind() == reflect.Map:
			addCounts(all, key, at)
		case of.Kind() != reflect.String:
			name, k := unitOf(key, of)
			all[name] = metric{kind: k, ofRun: ofRun, value: func(s subject) *float64 { return floating(at(s)) }}
		}
	}
}

// addCounts adds the entries that a map of counts may have; one that is not
// there did not occur.
func addCounts(all map[string]metric, key string, at func(subject) reflect.Value) {
	var names []string
	switch key {
	case "errors_by_class":
		names = rundir.ErrorClasses()
	case "dropped_by_reason":
		names = rundir.DropReasons()
	}
	for _, name := range names {
		all[key+"."+name] = metric{kind: aCount, value: func(s subject) *float64 {
			n := at(s).MapIndex(reflect.ValueOf(name))
			if !n.IsValid() {
				return new(0.0)
			}
			return floating(n)
		}}
	}
}

// unitOf takes the unit off a key of summary.json and tells the kind.
func unitOf(key string, t reflect.Type) (name string, k kind) {
	for _, unit := range []struct {
		suffix string
		kind   kind
		keep   bool
	}{
		{"_byte_seconds", aNumber, true}, {"_ns", aDuration, false}, {"_bytes", aSize, false}, {"_rps", aRate, false},
		{"_seconds", aSpan, false}, {"_share", aShare, true}, {".precision", aShare, true}, {".recall", aShare, true},
	} {
		if rest, ok := strings.CutSuffix(key, unit.suffix); ok {
			if unit.keep {
				rest = key
			}
			return rest, unit.kind
		}
	}
	if t == reflect.TypeFor[*float64]() {
		return key, aNumber
	}
	return key, aCount
}

// floating is a number, or a pointer to one that may be nil.
func floating(v reflect.Value) *float64 {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return new(v.Convert(reflect.TypeFor[float64]()).Float())
}
