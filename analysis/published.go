package analysis

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Published is what the study that the bundled profiles come from says of a
// policy: spike requests of 600 with a service time above 700 ms. Its trials left
// the phase of the policy's tick free, and that phase decides; so ours are set
// beside the figures, never made to meet them.
type Published struct {
	PerCycle []int   // one trial, cycle by cycle; empty where it gives the total alone
	Total    int     // of that trial
	Trials   *Around // five trials; nil where it gives none
	Model    string  // a discrete-event model of the study's node, mean [range] over 12 tick phases
}

// Around is a mean and half of its 95 % interval.
type Around struct{ Mean, Half float64 }

// Trial is the one trial for people.
func (p Published) Trial() string {
	if len(p.PerCycle) == 0 {
		return strconv.Itoa(p.Total)
	}
	parts := make([]string, len(p.PerCycle))
	for i, n := range p.PerCycle {
		parts[i] = strconv.Itoa(n)
	}
	return fmt.Sprintf("%s = %d", strings.Join(parts, "/"), p.Total)
}

// FiveTrials are the five for people, empty where it gives none.
func (p Published) FiveTrials() string {
	if p.Trials == nil {
		return ""
	}
	return fmt.Sprintf("%g ± %g", p.Trials.Mean, p.Trials.Half)
}

// bursty are the figures of profile bursty-ramp, by policy with its defaults.
var bursty = map[string]Published{
	"static":        {PerCycle: []int{0, 0, 0, 0}, Model: "0"},
	"ewma-adaptive": {PerCycle: []int{0, 0, 0, 0}, Model: "0"},
	"ewma":          {PerCycle: []int{0, 14, 33, 0}, Total: 47, Trials: &Around{48, 19}, Model: "15 [0–54]"},
	"reactive":      {PerCycle: []int{20, 15, 20, 12}, Total: 67, Trials: &Around{70, 1}, Model: "57 [0–199]"},
	"arima":         {PerCycle: []int{20, 18, 31, 16}, Total: 85, Trials: &Around{64, 12}, Model: "about 82"},
}

// sweep are those of profile warmup-sweep: one trial a length of the warm-up.
var sweep = map[string]map[time.Duration]Published{
	"ewma": {
		5 * time.Second: {Total: 48, Model: "71"}, 10 * time.Second: {Total: 45, Model: "41"},
		20 * time.Second: {Total: 0, Model: "20"}, 35 * time.Second: {Total: 0, Model: "15"},
		60 * time.Second: {Total: 0, Model: "10"}, 120 * time.Second: {Total: 32, Model: "10"},
	},
	"ewma-adaptive": {
		5 * time.Second: {Total: 287, Model: "258"}, 10 * time.Second: {Total: 135, Model: "36"},
		20 * time.Second: {Total: 0, Model: "6"}, 35 * time.Second: {Total: 0, Model: "0"},
		60 * time.Second: {Total: 0, Model: "0"}, 120 * time.Second: {Total: 0, Model: "0"},
	},
}

// PublishedFor looks a policy without parameters up; warmup is the length of the
// phase of that name, which only profile warmup-sweep is published by.
func PublishedFor(profile, policy string, warmup time.Duration) (Published, bool) {
	switch profile {
	case "bursty-ramp":
		p, ok := bursty[policy]
		return p, ok
	case "warmup-sweep":
		p, ok := sweep[policy][warmup]
		return p, ok
	}
	return Published{}, false
}

// Single figures of the same study, each shown beside ours.
const (
	PublishedNaiveStart  = 900 * time.Millisecond // exec of Python with its imports, by hand from logs
	PublishedForkStart   = 100 * time.Millisecond // fork of a warm template
	PublishedTickP99     = 191 * time.Microsecond // a tick of EWMA and CUSUM
	PublishedARIMAP99    = 72 * time.Millisecond  // a tick of ARIMA
	PublishedRSSBytes    = 2_021_000_000          // mean of EWMA and CUSUM, shared pages counted once a process
	PublishedRSSWorkers  = 23                     // most workers then
	PublishedOverReact   = -0.30                  // cold starts of the fixed chart against reactive
	PublishedOverARIMA   = -0.45                  // and against ARIMA
	PublishedSweepFixed  = 131                    // cold starts of its whole sweep as it sums them; its own points give 125
	PublishedSweepAdapts = 423                    // the same of the standardised chart; its points give 422
)

// PublishedTwoCycle are its cold starts of 150 in the spikes of profile two-cycle.
var PublishedTwoCycle = []int{95, 86}
