package profiles

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"time"

	"edgebench/profiles/arrival"
)

// Phase names are part of keys such as spike.cold.truth.
var phaseName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// phases reads phases and cycles, and what holds for both together.
func (d *decoder) phases(o *object, p *Profile) {
	before := len(d.faults)
	recorded := p.Arrivals.Recorded()
	phases, ok := o.field("phases")
	switch {
	case ok:
		p.Phases = d.phaseList(phases, recorded)
	case !recorded:
		o.at.fault("missing key phases")
	}
	if v, ok := o.field("cycles"); ok {
		d.cycles(v, p)
	}
	if len(d.faults) > before {
		return
	}
	switch {
	case p.Cycles.Count*len(p.Phases) > maxFlattened:
		phases.fault("%d phases in %d cycles are more than %d", len(p.Phases), p.Cycles.Count, maxFlattened)
	case p.length() > arrival.MaxLength:
		phases.fault("all phases together are longer than %s", formatDuration(arrival.MaxLength))
	case !recorded && p.silent():
		phases.fault("no phase has a rate above 0: nothing would be sent")
	}
}

func (d *decoder) phaseList(v value, recorded bool) []Phase {
	items, ok := v.list()
	if !ok {
		return nil
	}
	if len(items) == 0 {
		v.fault("no phases")
		return nil
	}
	phases := make([]Phase, len(items))
	first := make(map[string]int, len(items))
	for i, item := range items {
		at := d.phase(item, &phases[i], recorded)
		name := phases[i].Name
		if j, ok := first[name]; ok && name != "" {
			at.fault("%q is the name of phases[%d] too", name, j)
			continue
		}
		first[name] = i
	}
	return phases
}

// phase reads one phase and tells where its name stands. Recorded arrivals bring
// their own rate.
func (d *decoder) phase(v value, dst *Phase, recorded bool) (name value) {
	o, ok := v.object()
	if !ok {
		return v
	}
	if name, ok = o.required("name"); ok && name.text(&dst.Name) && !phaseName.MatchString(dst.Name) {
		name.fault("%q: a phase's name is letters, digits, '_' and '-', at most 64 of them", clip(dst.Name))
	}
	rate, hasRate := o.field("rate")
	switch {
	case hasRate && recorded:
		rate.fault(noRate)
	case hasRate:
		rate.rate(&dst.Rate)
	case !recorded:
		o.at.fault("missing key rate")
	}
	d.extent(o, dst)
	o.choice("measure", &dst.Measure, "cold")
	o.close()
	return name
}

const noRate = "the arrivals are recorded, and have the rate they have"

// extent reads how long a phase is: a time, or a number of arrivals.
func (d *decoder) extent(o *object, dst *Phase) {
	length, hasLength := o.field("for")
	count, hasCount := o.field("count")
	switch {
	case hasLength && hasCount:
		count.fault("for (%s) is given too: a phase ends after a time or after a number of arrivals", clip(length.node.Value))
	case hasLength:
		length.duration(&dst.For, 1, arrival.MaxLength)
	case hasCount:
		count.integer(&dst.Count, 1, arrival.MaxHashed)
	default:
		o.at.fault("missing key for (or count)")
	}
}

func (d *decoder) cycles(v value, p *Profile) {
	o, _ := v.object()
	o.integer("count", &p.Cycles.Count, 1, maxFlattened)
	if v, ok := o.field("override"); ok {
		d.overrides(v, p)
	}
	o.close()
}

// overrides reads {cycle: {phase: {for: …, rate: …}}}.
func (d *decoder) overrides(v value, p *Profile) {
	place := make(map[string]int, len(p.Phases))
	var names []string
	for i, ph := range p.Phases {
		if _, twice := place[ph.Name]; !twice && phaseName.MatchString(ph.Name) {
			place[ph.Name] = i
			names = append(names, ph.Name)
		}
	}
	cycles, _ := v.object()
	for _, c := range cycles.entries {
		at := value{d: d, node: c.keyNode, key: c.value.key}
		cycle, err := strconv.Atoi(c.name)
		if err != nil || strconv.Itoa(cycle) != c.name || cycle < 1 || cycle > p.Cycles.Count {
			at.fault("%q is not a cycle from 1 to %d", clip(c.name), p.Cycles.Count)
			continue
		}
		phases, _ := c.value.object()
		for _, ph := range phases.entries {
			at := value{d: d, node: ph.keyNode, key: ph.value.key}
			if _, ok := place[ph.name]; !ok {
				at.fault("%s", UnknownName("phase", ph.name, names))
				continue
			}
			p.Cycles.Overrides = append(p.Cycles.Overrides, d.override(ph.value, p, cycle, ph.name))
		}
	}
	slices.SortFunc(p.Cycles.Overrides, func(a, b Override) int {
		return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(place[a.Phase], place[b.Phase]))
	})
}

func (d *decoder) override(v value, p *Profile, cycle int, phase string) Override {
	out := Override{Cycle: cycle, Phase: phase}
	o, ok := v.object()
	if !ok {
		return out
	}
	if v, ok := o.field("for"); ok {
		out.For = new(time.Duration)
		v.duration(out.For, 1, arrival.MaxLength)
	}
	if v, ok := o.field("rate"); ok {
		if out.Rate = new(Rate); p.Arrivals.Recorded() {
			v.fault(noRate)
		} else {
			v.rate(out.Rate)
		}
	}
	o.close()
	if len(o.entries) == 0 {
		v.fault("changes nothing: give for or rate")
	}
	return out
}
