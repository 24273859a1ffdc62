// Package look is what every page of ours has in common: colours, type, tables
// and the charts over a run's time. It knows nothing of what a page shows.
package look

import _ "embed"

var (
	//go:embed base.css
	base string
	//go:embed uPlot.css
	plotCSS string
	//go:embed uPlot.js
	plotJS string
	//go:embed charts.js
	chartsJS string
)

// CSS is the style of any page, those of charts included.
func CSS() string { return base + plotCSS }

// Charts is the script that defines charts (see charts.js), uPlot before it.
func Charts() string { return plotJS + chartsJS }
