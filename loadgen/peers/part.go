package main

import (
	"context"
	"slices"
	"time"

	"edgebench/loadgen/peers/tool"
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

// ours is the tool of that name, false when it takes no part.
func ours(tools []tool.Tool) (tool.Tool, bool) {
	i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name == tool.Ours })
	if i < 0 {
		return tool.Tool{}, false
	}
	return tools[i], true
}

// alone is the cost of a part that no other tool takes part in.
func alone(o options, cost time.Duration) time.Duration {
	if _, present := ours(o.tools); !present {
		return 0
	}
	return cost
}
