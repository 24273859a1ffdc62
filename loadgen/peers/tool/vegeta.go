package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var vegeta = Tool{
	Name:    "vegeta",
	Source:  Source{Program: "vegeta", Module: "github.com/tsenart/vegeta/v12", Version: "v12.13.0"},
	Guess:   3000,
	Latency: "from when a worker wakes for the request: waiting for a connection is in it, a late wake is not; p99.9 from its hdrplot",
	Paces:   "one pacer for all workers, as many workers as it takes, on 100 connections",
	Invoke: func(l Load) Invocation {
		targets, results := filepath.Join(l.Scratch, "targets"), filepath.Join(l.Scratch, "results")
		connections := strconv.Itoa(l.Connections)
		return Invocation{
			Files: map[string]string{"targets": "GET " + l.URL + "\n"},
			Args: []string{
				"attack", "-targets", targets, "-output", results, "-rate", fmt.Sprintf("%d/1s", l.Rate), "-duration", l.Length.String(),
				"-connections", connections, "-max-connections", connections,
			},
			Then: [][]string{{"report", "-type=json", results}, {"report", "-type=hdrplot", results}},
		}
	},
	Parse: parseVegeta,
}

// parseVegeta reads a line of JSON, then the rows of an hdrplot.
func parseVegeta(stdout []byte) (Figures, error) {
	var r struct {
		Duration, Wait time.Duration
		Requests       uint64
		StatusCodes    map[string]uint64 `json:"status_codes"`
		Latencies      map[string]time.Duration
	}
	line, plot, _ := bytes.Cut(stdout, []byte("\n"))
	if err := json.Unmarshal(line, &r); err != nil {
		return Figures{}, fmt.Errorf("report of vegeta: %w", err)
	}
	f := Figures{OK: r.StatusCodes["200"], Failed: r.Requests - r.StatusCodes["200"], Elapsed: r.Duration + r.Wait}
	for name, latency := range r.Latencies {
		if number, found := strings.CutSuffix(name, "th"); found {
			p, err := strconv.ParseFloat(number, 64)
			if err != nil {
				return Figures{}, fmt.Errorf("report of vegeta: percentile %q: %w", name, err)
			}
			f.set(p, latency)
		}
	}
	p999, err := plotted(string(plot), 0.999)
	f.P999 = &p999
	return f, err
}

// plotted is the latency of the row of an hdrplot nearest to a quantile.
func plotted(plot string, q float64) (time.Duration, error) {
	best, latency := math.Inf(1), 0.0
	for line := range strings.Lines(plot) {
		var ms, quantile float64
		if n, _ := fmt.Sscan(line, &ms, &quantile); n == 2 && math.Abs(quantile-q) < best { // else the heading
			best, latency = math.Abs(quantile-q), ms
		}
	}
	if best > (1-q)/2 {
		return 0, fmt.Errorf("hdrplot of vegeta: no row near %g in %d bytes", q, len(plot))
	}
	return time.Duration(latency * 1e6), nil
}
