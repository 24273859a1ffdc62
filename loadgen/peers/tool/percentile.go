package tool

import "time"

// set keeps the latency of a percentile, in percent, when it is one of those
// compared.
func (f *Figures) set(percentile float64, latency time.Duration) {
	switch percentile {
	case 50:
		f.P50 = &latency
	case 90:
		f.P90 = &latency
	case 99:
		f.P99 = &latency
	case 99.9:
		f.P999 = &latency
	}
}
