package profiles

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Precision says how the generator waits for the instant of the next request.
type Precision struct {
	Kind    string        // exact: sleeps until then | quantum: sends together what falls between its multiples | spin: never sleeps
	Quantum time.Duration // of the kind quantum: 100 µs … 100 ms [1 ms]; 0 otherwise
}

// Late says what becomes of a request that could not be sent at its instant.
type Late struct {
	Kind    string        // send: at once | drop: not at all | capped: no faster than Percent of the planned rate
	After   time.Duration // of the kind drop: the lag from which on, above the quantum, up to 1 h [10 ms]; 0 otherwise
	Percent float64       // of the kind capped: 101 … 1000; 0 otherwise
}

const (
	leastQuantum   = 100 * time.Microsecond
	mostQuantum    = 100 * time.Millisecond
	defaultQuantum = time.Millisecond

	// defaultLate is the lag at which a run is called invalid.
	defaultLate = 10 * time.Millisecond
	mostLate    = time.Hour

	leastCap = 101.0
	mostCap  = 1000.0

	// mostShards and mostRowEvery are far above what makes sense and far below
	// what would break.
	mostShards   = 1024
	mostRowEvery = 1_000_000
)

// pacing reads when requests are sent, by how many, and which rows are kept.
func (d *decoder) pacing(o *object, p *Profile) {
	p.Precision, p.Late = Precision{Kind: "exact"}, Late{Kind: "send"}
	if v, ok := o.field("precision"); ok {
		d.precision(v, &p.Precision)
	}
	late, isLate := o.field("late")
	if isLate {
		d.late(late, &p.Late)
	}
	if p.Late.Kind == "drop" && p.Late.After <= p.Precision.Quantum {
		if !isLate {
			late = o.at
		}
		late.fault("dropped after %v is not above the quantum of %v: every request would be", p.Late.After, p.Precision.Quantum)
	}
	o.integer("shards", &p.Shards, 0, mostShards)
	if v, ok := o.field("rows"); ok {
		d.rows(v, &p.RowEvery)
	}
}

func (d *decoder) precision(v value, dst *Precision) {
	name, at, param, ok := v.variant()
	switch {
	case !ok:
	case name == "quantum":
		dst.Kind, dst.Quantum = name, defaultQuantum
		if param.node != nil {
			param.duration(&dst.Quantum, leastQuantum, mostQuantum)
		}
	case name != "exact" && name != "spin":
		at.fault("%s", UnknownName("precision", name, []string{"exact", "quantum", "spin"}))
	case param.node != nil:
		at.fault("%s has no parameter", name)
	default:
		dst.Kind = name
	}
}

func (d *decoder) late(v value, dst *Late) {
	name, at, param, ok := v.variant()
	switch {
	case !ok:
	case name == "drop":
		dst.Kind, dst.After = name, defaultLate
		if param.node != nil {
			o, _ := param.object()
			o.duration("after", &dst.After, 1, mostLate)
			o.close()
		}
	case name == "capped" && param.node == nil:
		at.fault("capped at what? Write for example {capped: 150%%}")
	case name == "capped":
		if param.percent(&dst.Percent, leastCap, mostCap) {
			dst.Kind = name
		}
	case name != "send":
		at.fault("%s", UnknownName("late policy", name, []string{"send", "drop", "capped"}))
	case param.node != nil:
		at.fault("send has no parameter")
	}
}

// rows reads auto, all or {sample: 1/10}.
func (d *decoder) rows(v value, every *int) {
	name, at, param, ok := v.variant()
	switch {
	case !ok:
	case name == "sample" && param.node != nil:
		text, ok := param.scalar("a share such as 1/10")
		if !ok {
			return
		}
		one, of, _ := strings.Cut(text, "/")
		n, err := parseInteger(of)
		if one != "1" || err != nil || n < 1 || n > mostRowEvery {
			param.fault("%q is not a share from 1/1 to 1/%d", clip(text), mostRowEvery)
			return
		}
		*every = int(n)
	case name == "sample":
		at.fault("sample which share? Write for example {sample: 1/10}")
	case name != "auto" && name != "all":
		at.fault("%s", UnknownName("choice of rows", name, []string{"auto", "all", "sample"}))
	case param.node != nil:
		at.fault("%s has no parameter", name)
	case name == "all":
		*every = 1
	}
}

var percentPattern = regexp.MustCompile(`^(\d+(?:\.\d+)?)%$`)

// percent reads "150%" as 150, least ≤ p ≤ most.
func (v value) percent(dst *float64, least, most float64) bool {
	text, ok := v.scalar("a percentage such as 150%")
	if !ok {
		return false
	}
	parts := percentPattern.FindStringSubmatch(text)
	if len(text) > maxUnitText || parts == nil {
		v.fault("%q is not a percentage, write for example 150%%", clip(text))
		return false
	}
	x, err := strconv.ParseFloat(parts[1], 64)
	if err != nil || x < least || x > most {
		v.fault("%s is outside %g%% to %g%%", clip(text), least, most)
		return false
	}
	*dst = x
	return true
}

func (p Precision) tree() *yaml.Node {
	if p.Kind != "quantum" {
		return word(p.Kind)
	}
	return flow(tree(p.Kind, word(formatDuration(p.Quantum))))
}

func (l Late) tree() *yaml.Node {
	switch l.Kind {
	case "drop":
		return flow(tree(l.Kind, tree("after", word(formatDuration(l.After)))))
	case "capped":
		return flow(tree(l.Kind, word(strconv.FormatFloat(l.Percent, 'f', -1, 64)+"%")))
	}
	return word(l.Kind)
}

// rowTree writes which rows are kept: 0 for auto, 1 for all, else one of so many.
func rowTree(every int) *yaml.Node {
	switch every {
	case 0:
		return word("auto")
	case 1:
		return word("all")
	}
	return flow(tree("sample", word(fmt.Sprintf("1/%d", every))))
}
