package reactor

import (
	"errors"
	"fmt"
	"time"

	"edgebench/target/httpwire"
)

// Config bounds what clients may cost. The zero value takes the defaults.
type Config struct {
	Limits httpwire.Limits // of one request

	HighWater      int           // bytes of responses a connection may have unsent before it is no longer read; default 256 KiB
	Pipeline       int           // unanswered requests of one connection before it is no longer read; default 128
	MaxConnections int           // open connections before new ones are answered 503; default as many as there are descriptors
	RequestTimeout time.Duration // from the first byte of a request to its last; default 10 s
	WriteTimeout   time.Duration // for a client that takes nothing of its response; default 30 s
	DrainTimeout   time.Duration // from the end of Run's context until open connections are cut; default 30 s
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var faults []error
	check := func(name string, value int64) {
		if value < 0 {
			faults = append(faults, fmt.Errorf("reactor: %s %d is negative", name, value))
		}
	}
	check("high water", int64(c.HighWater))
	check("pipeline", int64(c.Pipeline))
	check("max connections", int64(c.MaxConnections))
	check("request timeout", int64(c.RequestTimeout))
	check("write timeout", int64(c.WriteTimeout))
	check("drain timeout", int64(c.DrainTimeout))
	return errors.Join(faults...)
}

func (c Config) withDefaults() Config {
	c.HighWater = orDefault(c.HighWater, 256<<10)
	c.Pipeline = orDefault(c.Pipeline, 128)
	c.RequestTimeout = orDefault(c.RequestTimeout, 10*time.Second)
	c.WriteTimeout = orDefault(c.WriteTimeout, 30*time.Second)
	c.DrainTimeout = orDefault(c.DrainTimeout, 30*time.Second)
	return c
}

func orDefault[T int | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}
