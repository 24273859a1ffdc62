package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/engine"
	"edgebench/loadgen/transport"
)

// finish writes what is known at the end and gives the directory its name.
func (r *run) finish(ctx context.Context, result engine.Result, runErr error) (*Outcome, error) {
	m := r.manifest
	if ctx.Err() != nil {
		m.Interruption = "stopped by a signal"
		if why, ok := errors.AsType[Stop](context.Cause(ctx)); ok {
			m.Interruption = string(why)
		}
		if result.Aborted {
			m.Interruption += ", open requests given up"
		}
	} else if runErr != nil {
		m.Interruption = runErr.Error()
	}
	if r.node != nil {
		m.TargetLost = r.node.lost()
		m.Node, m.EventsLost = r.watch.stats, r.node.client.lost
	}
	m.RowsLost, m.RowsSkipped = result.RowsLost, result.RowsSkipped
	m.Limits["shards"], m.Limits["max_in_flight"] = result.Shards, result.MaxInFlight
	m.Limits["transport"], m.Limits["transport_reason"] = r.way.name, r.way.reason
	r.way.facts(m.Limits)
	pacingFacts(m.Limits, r.Profile, rowEvery(r.Profile, r.schedule, r.Share))
	m.Warnings = append(m.Warnings, result.Warnings...)
	m.Limits["connections"] = connectionFacts(result.Connections)
	return r.seal(rundir.Accounts{Phases: result.Phases, Functions: result.Functions})
}

// seal writes the last files, gives the directory its name and derives the rest.
func (r *run) seal(accounts rundir.Accounts) (*Outcome, error) {
	dir := ""
	err := r.files.finish(r.draft, r.manifest, accounts)
	if err == nil {
		dir, err = r.draft.Seal()
	}
	if err != nil {
		return nil, fmt.Errorf("%w (what was written is in %s)", err, r.draft.Path())
	}
	summary, err := Derive(dir)
	if err != nil {
		err = fmt.Errorf("the raw files of %s are complete, but a derived one cannot be made (loadgen report makes it again): %w", dir, err)
	}
	if summary == nil {
		return nil, err
	}
	return &Outcome{Dir: dir, Summary: summary}, err
}

// facts is v as the manifest keeps what it does not look into.
func facts(v any) map[string]any {
	var m map[string]any
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return m
}

func connectionFacts(s transport.Stats) map[string]any {
	return map[string]any{
		"connects": s.Connects, "failed": s.Failed, "reconnects": s.Reconnects,
		"idle_closed": s.IdleClosed, "stray": s.Stray, "waited_for_connect": s.Waited,
		"resolve_p50_ns": s.ResolveTime.Quantile(0.5), "handshake_p50_ns": s.HandshakeTime.Quantile(0.5),
		"connect_p50_ns": s.ConnectTime.Quantile(0.5), "connect_p99_ns": s.ConnectTime.Quantile(0.99), "connect_max_ns": s.ConnectTime.Max,
	}
}

func (r *run) warn(format string, args ...any) {
	r.manifest.Warnings = append(r.manifest.Warnings, fmt.Sprintf(format, args...))
}
