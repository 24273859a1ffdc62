package analysis

import "time"

// A Published is what the study that the bundled profiles come from says of a
// policy: spike requests of 600 with a service time above 700 ms. Its trials left
// the phase of the policy's tick free, and that phase decides; so ours are set
// beside the figures, never made to meet them.
type Published struct {
	Cycles string // one trial, cycle by cycle; empty where it gives none
	Trials string // five trials, mean ± half of the 95 % interval; empty where it gives none
	Model  string // a discrete-event model of the study's node, mean [range] over 12 tick phases
}

// bursty are the figures of profile bursty-ramp, by policy with its defaults.
var bursty = map[string]Published{
	"static":        {Cycles: "0/0/0/0 = 0", Model: "0"},
	"ewma-adaptive": {Cycles: "0/0/0/0 = 0", Model: "0"},
	"ewma":          {Cycles: "0/14/33/0 = 47", Trials: "48 ± 19", Model: "15 [0–54]"},
	"reactive":      {Cycles: "20/15/20/12 = 67", Trials: "70 ± 1", Model: "57 [0–199]"},
	"arima":         {Cycles: "20/18/31/16 = 85", Trials: "64 ± 12", Model: "about 82"},
}

// sweep are those of profile warmup-sweep: one trial a length of the warm-up.
var sweep = map[string]map[time.Duration]Published{
	"ewma": {
		5 * time.Second: {Cycles: "48", Model: "71"}, 10 * time.Second: {Cycles: "45", Model: "41"},
		20 * time.Second: {Cycles: "0", Model: "20"}, 35 * time.Second: {Cycles: "0", Model: "15"},
		60 * time.Second: {Cycles: "0", Model: "10"}, 120 * time.Second: {Cycles: "32", Model: "10"},
	},
	"ewma-adaptive": {
		5 * time.Second: {Cycles: "287", Model: "258"}, 10 * time.Second: {Cycles: "135", Model: "36"},
		20 * time.Second: {Cycles: "0", Model: "6"}, 35 * time.Second: {Cycles: "0", Model: "0"},
		60 * time.Second: {Cycles: "0", Model: "0"}, 120 * time.Second: {Cycles: "0", Model: "0"},
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
