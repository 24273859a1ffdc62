package policy

var adaptiveSpec = Spec{
	Name:   "ewma-adaptive",
	Help:   "EWMA of the rate with a standardised CUSUM: one setting for every scale of traffic",
	Cost:   "O(1)",
	Params: append(standardParams("k", "h"), smoothingParams...),
	build: func(p values, workers int) Policy {
		return newEWMA(p, workers, p.standardChart("k", "h"))
	},
}

var ensembleSpec = Spec{
	Name:   "ensemble",
	Help:   "EWMA of the rate with both charts, fixed and standardised: either alarms",
	Cost:   "O(1)",
	Params: append(append(fixedParams("k", "h"), standardParams("zk", "zh")...), smoothingParams...),
	build: func(p values, workers int) Policy {
		return newEWMA(p, workers, p.fixedChart("k", "h"), p.standardChart("zk", "zh"))
	},
}

func standardParams(k, h string) []Param {
	return []Param{
		{Name: k, Help: "standardised CUSUM: reference value, sigma", Default: 0.5, Min: 0, Max: 100},
		{Name: h, Help: "standardised CUSUM: decision interval, sigma", Default: 8, Min: 0, Max: 1000, SumUnit: "sigma"},
		{Name: "beta", Help: "weight of the last window in the running variance", Default: 0.3, Min: 0.001, Max: 1},
		{Name: "sigma", Help: "least standard deviation, requests/s", Default: 0.5, Min: 1e-9, Max: 1e9},
	}
}

func (p values) standardChart(k, h string) *standardChart {
	return &standardChart{cusum: cusum{k: p[k], h: p[h], reset: p["reset"] == 1}, beta: p["beta"], floor: p["sigma"]}
}
