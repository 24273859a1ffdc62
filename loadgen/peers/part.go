package main

import (
	"context"
	"time"
)

// A part is one question put to every generator.
type part struct {
	name  string
	once  bool                                // one round is enough
	nginx bool                                // asks nginx, not a witness
	cost  func(o options) time.Duration       // of a round, about
	play  func(ctx context.Context, b *bench) // records what comes out, failures included
}

// parts is the registry, in the order they are played: a part is one file and
// one line here. ceiling comes first: others leave out rates far above it.
func parts() []part {
	return []part{ceiling, latency, pacing, stalled, laws, tls}
}

// count is how many of the tools take part.
func count(o options, takesPart func(name string) bool) time.Duration {
	n := 0
	for _, t := range o.tools {
		if takesPart(t.Name) {
			n++
		}
	}
	return time.Duration(n)
}
