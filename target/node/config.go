package node

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"time"

	"edgebench/target/dispatch"
	"edgebench/target/policy"
	"edgebench/target/pool"
	"edgebench/target/worker"
)

// Config is everything about a node. Default has the values of its documentation.
type Config struct {
	Listen string // host:port, port 0 for a free one; default 127.0.0.1:8080

	Policy   string             // default ewma
	Params   map[string]float64 // of the policy, over its defaults
	Workers  int                // before the first decision; 0 for the policy's own default
	Dispatch string             // a rule; default: the policy's own, else lifo

	Runtime string // one of worker.Names; default fork
	Heap    int64  // bytes of touched heap a worker has; default 100,000,000
	Work    string // what workers do with the service time, one of worker.Works; default sleep
	Dirty   int    // bytes of its heap a worker writes to during a request, 0 or more

	ServiceLaw string        // fixed or exponential; default fixed
	HungAfter  time.Duration // beyond its service time, when a worker is given up; > 0, default 5 s

	Reactors     int           // event loops that share the connections, 1..64; default 1. The first decides, the others ask it
	DrainTimeout time.Duration // for requests in flight when the node ends, > 0; default 10 s
	Seed         uint64        // of the service law and of dispatch rules that draw lots; default 1
	Version      string        // told in /stats

	Pool pool.Config // MaxOneOffs 0 means 64
}

// DefaultMaxOneOffs bounds the one-off workers there may be at once.
const DefaultMaxOneOffs = 64

// Default is the study's node with T = 500 ms.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:8080", Policy: "ewma", Runtime: "fork", Heap: 100_000_000, Work: worker.Sleep,
		ServiceLaw: "fixed", HungAfter: 5 * time.Second, Reactors: 1, DrainTimeout: 10 * time.Second, Seed: 1,
		Pool: pool.Config{
			MaxWorkers: 64, Miss: pool.MissOneOff, MissWait: 300 * time.Millisecond,
			IdleTimeout: 6 * time.Second, Scavenge: time.Second, Tick: 2 * time.Second,
			ServiceTime: 500 * time.Millisecond,
		},
	}
}

// resolved fills in what depends on other values.
func (c Config) resolved() Config {
	c.Pool.MaxOneOffs = cmp.Or(c.Pool.MaxOneOffs, DefaultMaxOneOffs)
	spec := policy.Lookup(c.Policy)
	c.Dispatch = cmp.Or(c.Dispatch, spec.Dispatch, dispatch.Specs()[0].Name)
	c.Pool = c.Pool.For(spec)
	return c
}

// Validate reports every fault at once, those of the policy and the pool included.
func (c Config) Validate() error {
	faults := []error{c.resolved().Pool.Validate()}
	if _, err := policy.New(c.Policy, c.Params, c.Workers); err != nil {
		faults = append(faults, err)
	}
	if _, err := dispatch.New(c.Dispatch, c.Seed); err != nil {
		faults = append(faults, err)
	}
	if _, err := newLaw(c.ServiceLaw, c.Pool.ServiceTime, c.Seed); err != nil {
		faults = append(faults, err)
	}
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	faults = append(faults, worker.Check(c.Runtime, worker.Options{Heap: c.Heap, Work: c.Work}))
	_, port, err := net.SplitHostPort(c.Listen)
	_, portErr := strconv.ParseUint(port, 10, 16)
	check(err == nil && portErr == nil, "listen %q: want HOST:PORT with a port of 0..65535, for example 127.0.0.1:8080", c.Listen)
	check(c.Dirty >= 0, "dirty %d bytes: must not be negative", c.Dirty)
	check(c.Reactors >= 1 && c.Reactors <= 64, "reactors %d: out of range 1..64", c.Reactors)
	check(c.HungAfter > 0, "hung after %v: must be positive", c.HungAfter)
	check(c.DrainTimeout > 0, "drain timeout %v: must be positive", c.DrainTimeout)
	check(c.Workers <= c.Pool.MaxWorkers, "workers %d: above max workers %d", c.Workers, c.Pool.MaxWorkers)
	return errors.Join(faults...)
}

// A law draws service times.
type law func() time.Duration

// newLaw makes a law of the given mean. Its stream is its own, so that nothing
// else that draws lots can shift service times.
func newLaw(name string, mean time.Duration, seed uint64) (law, error) {
	switch name {
	case "fixed":
		return func() time.Duration { return mean }, nil
	case "exponential":
		rng := rand.New(rand.NewPCG(seed, 0x73657276696365)) // "service"
		return func() time.Duration { return time.Duration(rng.ExpFloat64() * float64(mean)) }, nil
	}
	return nil, fmt.Errorf("service law %q: unknown (have fixed, exponential)", name)
}
