package net

import (
	"fmt"
	"strings"
)

// A Marking is where the tokens are at an instant of a run.
type Marking struct{ s *Sim }

// At returns the population of a place, waiting and served tokens included; 0
// for a name the net does not have.
func (m Marking) At(place string) int {
	for i := range m.s.prog.places {
		if m.s.prog.places[i].name == place {
			return int(m.s.places[i].total)
		}
	}
	return 0
}

// Time returns the model time.
func (m Marking) Time() float64 { return m.s.now }

// String lists the places that hold tokens.
func (m Marking) String() string {
	var held []string
	for i := range m.s.places {
		if n := m.s.places[i].total; n > 0 {
			held = append(held, fmt.Sprintf("%s %d", m.s.prog.places[i].name, n))
		}
	}
	if len(held) == 0 {
		return "no tokens anywhere"
	}
	return strings.Join(held, ", ")
}

// A Deadlock is a marking in which no transition is enabled and no service is
// going on.
type Deadlock struct {
	Net     string
	Time    float64
	Marking string
}

func (d *Deadlock) Error() string {
	return fmt.Sprintf("net %q: deadlock at time %.6g: nothing can fire any more; marking: %s", d.Net, d.Time, d.Marking)
}

// A Loop is a net that fires without end and without time passing.
type Loop struct {
	Net     string
	Time    float64
	Marking string
	Firing  []string // transitions that take part
}

func (l *Loop) Error() string {
	return fmt.Sprintf("net %q: loop at time %.6g: %s fire without end in one instant; marking: %s",
		l.Net, l.Time, strings.Join(l.Firing, ", "), l.Marking)
}
