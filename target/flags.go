package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"edgebench/target/node"
	"edgebench/target/pool"
)

// settings are what the command line says.
type settings struct {
	cfg                     node.Config
	attached, help, version bool
}

// A flag is one option of settings S. A nil set means that it takes no value and
// on is used.
type flag[S any] struct {
	name, value, help string
	set               func(s *S, text string) error
	on                func(s *S)
}

// flags of the node, in the order of the help.
var flags = []flag[settings]{
	{name: "listen", value: "HOST:PORT", help: "address, port 0 for a free one (default 127.0.0.1:8080)", set: text(func(s *settings) *string { return &s.cfg.Listen })},
	{name: "policy", value: "NAME", help: "how many workers there are (default ewma)", set: text(func(s *settings) *string { return &s.cfg.Policy })},
	{name: "param", value: "NAME=NUMBER", help: "a parameter of the policy; may be repeated", set: setParam},
	{name: "workers", value: "N", help: "workers before the first decision; for static, all (default: the policy's own)", set: whole(func(s *settings) *int { return &s.cfg.Workers })},
	{name: "max-workers", value: "N", help: "bound of pool workers (default 64)", set: whole(func(s *settings) *int { return &s.cfg.Pool.MaxWorkers })},
	{name: "dispatch", value: "NAME", help: "which worker takes a request (default: the policy's own, else lifo)", set: text(func(s *settings) *string { return &s.cfg.Dispatch })},
	{name: "tokens", value: "N", help: "requests a worker admits, those beyond its servers wait in it (default: the policy's own, else 1)", set: whole(func(s *settings) *int { return &s.cfg.Pool.Tokens })},
	{name: "servers", value: "N", help: "requests a worker executes at once, each by a process of its own (default 1)", set: whole(func(s *settings) *int { return &s.cfg.Pool.Servers })},
	{name: "runtime", value: "NAME", help: "how workers come to life (default fork)", set: text(func(s *settings) *string { return &s.cfg.Runtime })},
	{name: "heap", value: "SIZE", help: "touched heap of a worker, as 100MB or 64MiB (default 100MB)", set: sized(func(s *settings) *int64 { return &s.cfg.Heap })},
	{name: "work", value: "NAME", help: "what workers do with the service time (default sleep)", set: text(func(s *settings) *string { return &s.cfg.Work })},
	{name: "service", value: "DURATION", help: "service time T (default 500ms)", set: duration(func(s *settings) *time.Duration { return &s.cfg.Pool.ServiceTime })},
	{name: "service-law", value: "fixed|exponential", help: "law of the service time, with mean T (default fixed)", set: text(func(s *settings) *string { return &s.cfg.ServiceLaw })},
	{name: "dirty", value: "SIZE", help: "heap a worker writes to in each request (default 0B)", set: setDirty},
	{name: "miss", value: "oneoff|queue|spawn", help: "what a request does that finds no idle worker (default oneoff)", set: setMiss},
	{name: "miss-wait", value: "DURATION", help: "wait for a worker before a one-off is started (default 300ms)", set: duration(func(s *settings) *time.Duration { return &s.cfg.Pool.MissWait })},
	{name: "max-oneoffs", value: "N", help: "bound of one-off workers (default 64)", set: whole(func(s *settings) *int { return &s.cfg.Pool.MaxOneOffs })},
	{name: "queue-limit", value: "N", help: "requests that may wait before others get 503, 0 for no limit (default 0)", set: whole(func(s *settings) *int { return &s.cfg.Pool.QueueLimit })},
	{name: "idle-timeout", value: "DURATION", help: "idleness after which a worker is reaped (default 6s)", set: duration(func(s *settings) *time.Duration { return &s.cfg.Pool.IdleTimeout })},
	{name: "scavenge", value: "DURATION", help: "period of the scavenger (default 1s)", set: duration(func(s *settings) *time.Duration { return &s.cfg.Pool.Scavenge })},
	{name: "tick", value: "DURATION", help: "period of the policy (default 2s)", set: duration(func(s *settings) *time.Duration { return &s.cfg.Pool.Tick })},
	{name: "tick-phase", value: "DURATION", help: "instant of the first tick; default: a whole tick after the start", set: setPhase},
	{name: "start-delay", value: "DURATION", help: "SIMULATED extra start cost of pool workers (default 0s)", set: duration(func(s *settings) *time.Duration { return &s.cfg.Pool.StartDelay })},
	{name: "hung-after", value: "DURATION", help: "beyond its service time, when a worker is killed (default 5s)", set: duration(func(s *settings) *time.Duration { return &s.cfg.HungAfter })},
	{name: "drain-timeout", value: "DURATION", help: "bound for requests in flight at the end (default 10s)", set: duration(func(s *settings) *time.Duration { return &s.cfg.DrainTimeout })},
	{name: "reactors", value: "N", help: "event loops that share the connections, 1 to 64; the first decides (default 1)", set: whole(func(s *settings) *int { return &s.cfg.Reactors })},
	{name: "seed", value: "N", help: "of everything drawn by lot (default 1)", set: seed(func(s *settings) *uint64 { return &s.cfg.Seed })},
	{name: "attached", help: "end when standard input closes", on: func(s *settings) { s.attached = true }},
	{name: "version", help: "print the version", on: func(s *settings) { s.version = true }},
	{name: "help", help: "print this text", on: func(s *settings) { s.help = true }},
}

func text[S any](field func(*S) *string) func(*S, string) error {
	return func(s *S, v string) error { *field(s) = v; return nil }
}

func whole[S any](field func(*S) *int) func(*S, string) error {
	return func(s *S, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil {
			return errors.New("not a whole number")
		}
		*field(s) = n
		return nil
	}
}

func duration[S any](field func(*S) *time.Duration) func(*S, string) error {
	return func(s *S, v string) error {
		d, err := time.ParseDuration(v)
		if err != nil {
			return errors.New("not a duration with its unit, as 500ms or 1m30s")
		}
		*field(s) = d
		return nil
	}
}

func seed[S any](field func(*S) *uint64) func(*S, string) error {
	return func(s *S, v string) error {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			return errors.New("not a whole number from 0")
		}
		*field(s) = n
		return nil
	}
}

func sized[S any](field func(*S) *int64) func(*S, string) error {
	return func(s *S, v string) (err error) {
		*field(s), err = size(v)
		return err
	}
}

func setParam(s *settings, v string) error {
	name, number, ok := strings.Cut(v, "=")
	switch number {
	case "true":
		number = "1"
	case "false":
		number = "0"
	}
	x, err := strconv.ParseFloat(number, 64)
	if !ok || name == "" || err != nil {
		return errors.New("not NAME=NUMBER")
	}
	if _, twice := s.cfg.Params[name]; twice {
		return errors.New("given twice")
	}
	if s.cfg.Params == nil {
		s.cfg.Params = make(map[string]float64)
	}
	s.cfg.Params[name] = x
	return nil
}

func setMiss(s *settings, v string) (err error) {
	s.cfg.Pool.Miss, err = pool.ParseMiss(v)
	return err
}

func setPhase(s *settings, v string) error {
	err := duration(func(s *settings) *time.Duration { return &s.cfg.Pool.TickPhase })(s, v)
	s.cfg.Pool.TickPhase = max(s.cfg.Pool.TickPhase, 0) // the pool's 0 is a whole tick
	return err
}

func setDirty(s *settings, v string) error {
	n, err := size(v)
	s.cfg.Dirty = int(n)
	return err
}

// units of a size; the longer ones first, because all end in B.
var units = []struct {
	suffix string
	bytes  float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}

// size reads a number of bytes, with a unit or plain.
func size(v string) (int64, error) {
	number, scale := v, 1.0
	for _, u := range units {
		if n, ok := strings.CutSuffix(v, u.suffix); ok {
			number, scale = n, u.bytes
			break
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || !(x >= 0 && x*scale <= 1<<50) || x*scale != math.Trunc(x*scale) {
		return 0, fmt.Errorf("not a size in bytes, as 100MB or 64MiB")
	}
	return int64(x * scale), nil
}
