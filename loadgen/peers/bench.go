package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"edgebench/loadgen/peers/process"
	"edgebench/loadgen/peers/tool"
	"edgebench/loadgen/peers/witness"
	"edgebench/monitor"
)

// A bench is a comparison under way.
type bench struct {
	options
	progress io.Writer
	scratch  string
	nginx    string            // URL
	binaries map[string]string // of the tools that could be had, by name
	round    int
	results  *results
}

// compare plays every part. What was found out before a cancel is returned
// beside the error.
func compare(ctx context.Context, o options, progress io.Writer) (*results, error) {
	fs, err := monitor.NewFS(monitor.Proc)
	if err != nil {
		return nil, err
	}
	host := fs.Host(ctx)
	scratch, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	b := &bench{options: o, progress: progress, scratch: scratch, binaries: map[string]string{}, results: &results{
		Args: o.args, Quick: o.quick, Rounds: o.plan.rounds, Machine: host, plan: o.plan, tools: o.tools,
		Versions: map[string]string{}, Missing: map[string]string{},
	}}
	for _, t := range o.tools {
		if b.binaries[t.Name], err = b.find(ctx, t.Source); err != nil {
			fmt.Fprintf(progress, "%s takes no part: %v\n", t.Name, err)
			b.results.Missing[t.Name] = err.Error()
		}
	}
	if slices.ContainsFunc(o.parts, func(p part) bool { return p.nginx }) {
		server, err := b.serveNginx(ctx)
		if err != nil {
			return nil, err
		}
		defer server.Stop()
	}
	b.play(ctx)
	return b.results, context.Cause(ctx)
}

// serveNginx starts the server that most parts ask.
func (b *bench) serveNginx(ctx context.Context) (server *process.Server, err error) {
	path, err := b.find(ctx, nginxSource)
	if err != nil {
		return nil, err
	}
	server, b.nginx, err = startNginx(ctx, path, b.scratch, b.serverCore)
	if err != nil {
		return nil, fmt.Errorf("nginx: %w", err)
	}
	return server, nil
}

// play goes through the parts, round after round, so that no tool has a better
// hour than another.
func (b *bench) play(ctx context.Context) {
	b.results.Started = time.Now().UTC()
	fmt.Fprintf(b.progress, "about %v; rounds: %d; servers on core %d, generators on core %d\n",
		b.estimate().Round(10*time.Second), b.plan.rounds, b.serverCore, b.clientCore)
	for b.round = 1; b.round <= b.plan.rounds && ctx.Err() == nil; b.round++ {
		for _, p := range b.parts {
			if (b.round == 1 || !p.once) && ctx.Err() == nil {
				began := time.Now()
				p.play(ctx, b)
				fmt.Fprintf(b.progress, "round %d of %d, %s: %v\n", b.round, b.plan.rounds, p.name, time.Since(began).Round(100*time.Millisecond))
			}
		}
	}
	b.results.Took = time.Since(b.results.Started)
}

func (b *bench) find(ctx context.Context, s tool.Source) (string, error) {
	path, err := s.Find(ctx, b.folders, b.progress)
	if err != nil {
		return "", err
	}
	b.results.Versions[s.Program], err = s.VersionOf(ctx, path)
	return path, err
}

func (b *bench) estimate() time.Duration {
	var sum time.Duration
	for _, p := range b.parts {
		rounds := time.Duration(b.plan.rounds)
		if p.once {
			rounds = 1
		}
		sum += rounds * p.cost(b.options)
	}
	return sum
}

// present are the tools that could be had. Each round begins with another, so
// that no one always follows the same neighbour.
func (b *bench) present() []tool.Tool {
	var kept []tool.Tool
	for i := range b.tools {
		t := b.tools[(i+b.round-1)%len(b.tools)]
		if b.results.Missing[t.Name] == "" {
			kept = append(kept, t)
		}
	}
	return kept
}

// note keeps a record. One that ended with us tells nothing of the tool.
func (b *bench) note(ctx context.Context, r Record, err error) {
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		r.Error = err.Error()
		fmt.Fprintf(b.progress, "  %s %s: failed: %v\n", r.Part, r.Tool, err)
	}
	r.Round = b.round
	b.results.Records = append(b.results.Records, r)
}

// generous is how much longer than its load a run may take: what a generator
// is behind, it may catch up.
const generous = time.Minute

// generate has a tool generate a load, pinned to the generators' core.
func (b *bench) generate(ctx context.Context, partName string, t tool.Tool, l tool.Load) (Record, error) {
	r := Record{Part: partName, Tool: t.Name, Rate: l.Rate}
	ctx, cancel := context.WithTimeoutCause(ctx, l.Length+generous, errors.New("took a minute more than its load"))
	defer cancel()
	scratch, err := os.MkdirTemp(b.scratch, "run-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(scratch)
	l.Connections, l.Scratch = connections, scratch
	call := t.Invoke(l)
	r.Args = append([]string{t.Source.Program}, call.Args...)
	for name, text := range call.Files {
		if err := os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o644); err != nil {
			return r, err
		}
	}
	run := func(args []string) ([]byte, process.Usage, error) {
		return process.Run(ctx, process.Command{Args: append([]string{b.binaries[t.Name]}, args...), Core: b.clientCore, Expect: t.Expect})
	}
	out, usage, err := run(call.Args)
	if err != nil {
		return r, err
	}
	for _, args := range call.Then {
		more, _, err := run(args)
		if err != nil {
			return r, err
		}
		out = append(out, more...)
	}
	figures, err := t.Parse(out)
	if err != nil {
		return r, err
	}
	r.Figures, r.CPU, r.PeakBytes = &figures, usage.CPU, usage.PeakBytes
	return r, nil
}

// observe has a tool generate a load for a witness, and tells what that saw.
func (b *bench) observe(ctx context.Context, partName string, t tool.Tool, l tool.Load, p witness.Plan) (Record, witness.Arrivals, error) {
	w, err := witness.Start(ctx, b.serverCore, p)
	if err != nil {
		return Record{Part: partName, Tool: t.Name, Rate: l.Rate}, witness.Arrivals{}, err
	}
	defer w.Stop()
	l.URL = w.URL
	r, err := b.generate(ctx, partName, t, l)
	if err != nil {
		return r, witness.Arrivals{}, err
	}
	seen, err := w.Finish()
	return r, seen, err
}
