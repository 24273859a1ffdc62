package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"edgebench/loadgen/peers/process"
	"edgebench/loadgen/peers/tool"
)

// tls sets the transport for TLS beside fasthttp's own client: the benchmark
// of that package, whose server and clients share all cores.
var tls = part{
	name: "tls",
	once: true,
	cost: func(o options) time.Duration {
		return alone(o, o.plan.tls)
	},
	play: func(ctx context.Context, b *bench) {
		if _, present := ours(b.present()); !present {
			return
		}
		r := Record{Part: "tls", Tool: tool.Ours, Args: []string{
			"go", "test", "-run", "^$", "-bench", "^BenchmarkTLS$", "-benchtime", b.plan.bench, "edgebench/loadgen/transport/client",
		}}
		limited, cancel := context.WithTimeout(ctx, b.plan.tls+5*generous) // it may have to be compiled
		defer cancel()
		out, _, err := process.Run(limited, process.Command{Args: r.Args, Core: process.AnyCore})
		if err == nil {
			r.Values, err = benchmarkValues(string(out))
		}
		b.note(ctx, r, err)
	},
}

// benchmarkValues reads lines of `go test -bench`: name, iterations, then pairs
// of value and unit. Keys are "sub-benchmark unit".
func benchmarkValues(out string) (map[string]float64, error) {
	values := map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		_, name, _ := strings.Cut(fields[0], "/")
		if i := strings.LastIndexByte(name, '-'); i > 0 && strings.IndexByte(name[i:], '.') < 0 {
			name = name[:i] // the number of processors
		}
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("benchmark line %q: %w", strings.TrimSpace(line), err)
			}
			values[name+" "+fields[i+1]] = v
		}
	}
	if len(values) == 0 {
		return nil, errors.New("no benchmark line in the output of go test")
	}
	return values, nil
}
