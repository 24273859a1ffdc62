// Package predictorcost measures what deciding costs: one decision of each policy,
// and a fit of the forecasts that ARIMA needs, by our own fitter and, where it is
// installed, by Python's statsmodels. Every figure is of this machine and now. What
// a decision costs inside a live node, with its caches cold, is in the node's /stats.
package predictorcost
