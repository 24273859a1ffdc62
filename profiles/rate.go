package profiles

import (
	"time"

	"go.yaml.in/yaml/v3"

	"edgebench/profiles/arrival"
)

// rate reads "2/s", {from: 2/s, to: 30/s}, {sine: {…}} or {steps: […]}.
func (v value) rate(dst *Rate) bool {
	if v.node.Kind != yaml.MappingNode {
		var r float64
		if !v.level(&r) {
			return false
		}
		*dst = Rate{From: r, To: r}
		return true
	}
	o, _ := v.object()
	before := len(v.d.faults)
	var r Rate
	sine, hasSine := o.field("sine")
	steps, hasSteps := o.field("steps")
	switch {
	case hasSine && hasSteps:
		steps.fault("a rate is either a sine or steps")
	case hasSine:
		r.Sine = sine.sine()
	case hasSteps:
		r.Steps = steps.steps()
	default:
		if v, ok := o.required("from"); ok {
			v.level(&r.From)
		}
		if v, ok := o.required("to"); ok {
			v.level(&r.To)
		}
	}
	o.close()
	if len(v.d.faults) > before {
		return false
	}
	*dst = r
	return true
}

// sine reads {mean: 20/s, amplitude: 10/s, period: 60s, offset: 15s}.
func (v value) sine() *arrival.Sine {
	s := new(arrival.Sine)
	o, _ := v.object()
	mean, _ := o.required("mean")
	if mean.node != nil && mean.level(&s.Mean) && s.Mean == 0 {
		mean.fault("0 must be above 0")
	}
	if v, ok := o.required("amplitude"); ok && v.level(&s.Amplitude) && s.Amplitude > s.Mean {
		v.fault("%s is above the mean, %s: the rate would be below 0", formatRate(s.Amplitude), formatRate(s.Mean))
	}
	if v, ok := o.required("period"); ok {
		v.duration(&s.Period, time.Millisecond, arrival.MaxLength)
	}
	if v, ok := o.field("offset"); ok && v.duration(&s.Offset, 0, arrival.MaxLength) && s.Offset >= s.Period && s.Period > 0 {
		v.fault("%s is not below the period, %s", formatDuration(s.Offset), formatDuration(s.Period))
	}
	o.close()
	return s
}

// steps reads [{rate: 2/s, for: 10s}, …].
func (v value) steps() []arrival.Step {
	items, ok := v.list()
	if ok && len(items) == 0 {
		v.fault("no steps")
	}
	steps := make([]arrival.Step, len(items))
	var sum time.Duration
	for i, item := range items {
		o, ok := item.object()
		if !ok {
			continue
		}
		if v, ok := o.required("rate"); ok {
			v.level(&steps[i].Rate)
		}
		if v, ok := o.required("for"); ok && v.duration(&steps[i].Length, 1, arrival.MaxLength) {
			if sum += steps[i].Length; sum > arrival.MaxLength {
				v.fault("all steps together are longer than %s", formatDuration(arrival.MaxLength))
				sum = 0
			}
		}
		o.close()
	}
	return steps
}

// level reads one rate.
func (v value) level(dst *float64) bool {
	text, ok := v.scalar("a rate such as 2/s, or {from: 2/s, to: 30/s}")
	if !ok {
		return false
	}
	r, err := ParseRate(text)
	if err != nil {
		v.fault("%v", err)
		return false
	}
	*dst = r
	return true
}

func (r Rate) tree() *yaml.Node {
	switch {
	case r.Sine != nil:
		n := tree("mean", word(formatRate(r.Sine.Mean)), "amplitude", word(formatRate(r.Sine.Amplitude)), "period", word(formatDuration(r.Sine.Period)))
		if r.Sine.Offset > 0 {
			add(n, "offset", word(formatDuration(r.Sine.Offset)))
		}
		return flow(tree("sine", n))
	case len(r.Steps) > 0:
		list := sequence()
		for _, s := range r.Steps {
			list.Content = append(list.Content, tree("rate", word(formatRate(s.Rate)), "for", word(formatDuration(s.Length))))
		}
		return flow(tree("steps", list))
	case r.From == r.To:
		return word(formatRate(r.From))
	}
	return flow(tree("from", word(formatRate(r.From)), "to", word(formatRate(r.To))))
}
