package main

import (
	"time"
)

// A plan is how long everything is measured.
type plan struct {
	rounds  int
	step    time.Duration // of the search for the ceiling, each rate
	tries   int           // steps of one search at most
	latency time.Duration // each rate
	pacing  time.Duration // the last pacing − lead of it counts
	stalls  stalls
	law     time.Duration // at lawRate, at least 2,000 arrivals
	scv     time.Duration // at scvRate
	bench   string        // -benchtime of the TLS benchmark
	tls     time.Duration // what that takes, about
}

// stalls are two stretches in which the server stands still.
type stalls struct {
	length time.Duration // of the load
	stall  time.Duration // of each
}

func (s stalls) begins() []time.Duration {
	return []time.Duration{s.length / 4, s.length * 7 / 12}
}

// What is offered, in requests/s.
const (
	connections = 100
	slowRate    = 2_000
	middleRate  = 10_000
	fastRate    = 100_000
	stallRate   = 1_000
	lawRate     = 500
	scvRate     = 2_000
)

// lead is the begin of a load that does not count for its pace: warm-up
// requests and starts.
const lead = 500 * time.Millisecond

// perRun is what a run takes besides its load: starting, settling, reading.
const perRun = 500 * time.Millisecond

func fullPlan() plan {
	return plan{
		rounds: 3, step: 5 * time.Second, tries: 10, latency: 2500 * time.Millisecond, pacing: 2500 * time.Millisecond,
		stalls: stalls{12 * time.Second, time.Second}, law: 6 * time.Second, scv: 51 * time.Second, bench: "3x", tls: 40 * time.Second,
	}
}

func quickPlan() plan {
	return plan{
		rounds: 1, step: time.Second, tries: 5, latency: time.Second, pacing: 1500 * time.Millisecond,
		stalls: stalls{3 * time.Second, 250 * time.Millisecond}, law: 5 * time.Second, scv: 5 * time.Second, bench: "1x", tls: 20 * time.Second,
	}
}
