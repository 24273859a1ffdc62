package profiles

// together reports keys that are right alone and contradict each other.
func (d *decoder) together(o *object, p *Profile) {
	recorded := p.Arrivals.Recorded()
	functions, hasFunctions := o.field("functions")
	if hasFunctions && recorded {
		items, _ := functions.list()
		for i, item := range items {
			w := child(item.node, "weight")
			if w != nil && p.Functions[i].Weight != 1 && p.Arrivals.Trace != nil {
				item.child(w, "weight").fault("the trace says how often each function is called")
			}
		}
		if streams, ok := o.field("streams"); ok && p.Streams == OwnStreams {
			streams.fault("recorded arrivals are one stream already: own goes with a law")
		}
	}
	if cycles, ok := o.field("cycles"); ok && len(p.Phases) == 0 && p.Cycles.Count > 1 {
		cycles.fault("there are no phases to repeat")
	}
	list, ok := o.field("phases")
	if !ok {
		return
	}
	items, _ := list.list()
	for i, ph := range p.Phases {
		at := child(items[i].node, "count")
		if ph.Count == 0 || at == nil {
			continue
		}
		v := items[i].child(at, "count")
		switch {
		case recorded:
			v.fault("recorded arrivals have their own number: give for, or leave the phases out")
		case i < len(p.Phases)-1 || p.Cycles.Count > 1:
			v.fault("only the last phase of a profile without cycles can end after a number of arrivals")
		case ph.Rate.Sine != nil || len(ph.Rate.Steps) > 0 || ph.Rate.From != ph.Rate.To || ph.Rate.From == 0:
			v.fault("a number of arrivals needs a constant rate above 0")
		}
		for _, change := range p.Cycles.Overrides {
			if change.Phase == ph.Name {
				v.fault("cycles.override changes the phase too: it can end after a number of arrivals only as it is")
			}
		}
	}
}
