package pool

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"edgebench/target/policy"
)

// Miss is what is done for a request that finds no idle worker, besides
// queueing it.
type Miss uint8

// Miss paths.
const (
	MissOneOff Miss = iota // after MissWait in the queue, start a worker for it alone
	MissQueue              // nothing
	MissSpawn              // start a pool worker at once, if there may be one more
)

var missNames = []string{"oneoff", "queue", "spawn"}

func (m Miss) String() string { return missNames[m] }

// ParseMiss is the inverse of String.
func ParseMiss(text string) (Miss, error) {
	for i, name := range missNames {
		if name == text {
			return Miss(i), nil
		}
	}
	return 0, fmt.Errorf("miss path %q: unknown (have oneoff, queue, spawn)", text)
}

// Config is everything about a pool but its policy and its dispatch.
type Config struct {
	MaxWorkers  int           // pool workers at once, 1 or more
	Tokens      int           // requests a worker admits, 1 or more; 0 for the policy's own, else 1
	Servers     int           // of these, executed at once, 1 to Tokens; 0 for 1
	Miss        Miss          // default MissOneOff
	MissWait    time.Duration // how long a request waits before its one-off, 0 or more
	MaxOneOffs  int           // one-offs at once, 1 or more; requests beyond wait on for one or for a worker
	QueueLimit  int           // requests waiting before others are rejected, 0 for no limit
	IdleTimeout time.Duration // idleness after which a worker may be reaped, 0 or more
	Scavenge    time.Duration // period of the scavenger, > 0
	Tick        time.Duration // period of the policy, > 0
	TickPhase   time.Duration // instant of the first tick, 0 (a whole Tick after the start) to below Tick
	ServiceTime time.Duration // first estimate of T, 0 or more
	StartDelay  time.Duration // SIMULATED: added to the start of every pool worker (not of one-offs), 0 or more
}

// For is the configuration of a pool whose policy is s: what is part of a policy
// takes the place of what is configured, in a live node and in the twin alike.
func (c Config) For(s policy.Spec) Config {
	if miss, err := ParseMiss(s.Miss); err == nil {
		c.Miss = miss
	}
	c.Tokens = cmp.Or(c.Tokens, max(s.Tokens, c.Servers), 1)
	return c
}

// Validate reports every value out of range at once.
func (c Config) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(c.MaxWorkers >= 1, "max workers %d: must be at least 1", c.MaxWorkers)
	check(c.Tokens >= 0, "tokens %d: must not be negative", c.Tokens)
	check(c.Servers >= 0 && c.Servers <= max(c.Tokens, 1), "servers %d: must be 0 to the tokens, %d", c.Servers, max(c.Tokens, 1))
	check(int(c.Miss) < len(missNames), "miss path %d: unknown", c.Miss)
	check(c.MissWait >= 0, "miss wait %v: must not be negative", c.MissWait)
	check(c.Miss != MissOneOff || c.MaxOneOffs >= 1, "max one-offs %d: must be at least 1", c.MaxOneOffs)
	check(c.QueueLimit >= 0, "queue limit %d: must not be negative", c.QueueLimit)
	check(c.IdleTimeout >= 0, "idle timeout %v: must not be negative", c.IdleTimeout)
	check(c.Scavenge > 0, "scavenge period %v: must be positive", c.Scavenge)
	check(c.Tick > 0, "tick %v: must be positive", c.Tick)
	check(c.TickPhase >= 0 && c.TickPhase < max(c.Tick, 1), "tick phase %v: must be in [0, %v)", c.TickPhase, c.Tick)
	check(c.ServiceTime >= 0, "service time %v: must not be negative", c.ServiceTime)
	check(c.StartDelay >= 0, "start delay %v: must not be negative", c.StartDelay)
	return errors.Join(faults...)
}
