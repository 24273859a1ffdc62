package main

import (
	"fmt"
	"time"

	"edgebench/loadgen/peers/measure"
)

// A row is one figure of every generator.
type row struct {
	label  string
	wanted string // of ours; empty for none
	part   string
	rate   int
	more   bool // more is better; else less is
	alone  bool // no ratio to ours: there is a true value, which the label tells
	pick   func(Record) (float64, bool)
	format func(float64) string
}

// rows is the table, from top to bottom.
func rows(p plan) []row {
	list := []row{
		{label: "highest rate held, 1/s", wanted: "≥ 100,000", part: "ceiling", more: true, pick: value(keyCeiling), format: whole},
	}
	for _, rate := range []int{slowRate, middleRate, fastRate} {
		list = append(list,
			row{label: "p50 at " + at(rate) + ", µs", part: "latency", rate: rate, pick: p50, format: micros},
			row{label: "p99 at " + at(rate) + ", µs", part: "latency", rate: rate, pick: p99, format: micros})
	}
	list = append(list,
		row{label: "gap error p50 at " + at(slowRate) + ", µs", wanted: "≤ 15, spin ≤ 3", part: "pacing", rate: slowRate, pick: value(keyGap50), format: micros},
		row{label: "gap error p99, µs", wanted: "≤ 200", part: "pacing", rate: slowRate, pick: value(keyGap99), format: micros},
		row{label: "grid error p50, µs", part: "pacing", rate: slowRate, pick: value(keyGrid50), format: micros},
		row{label: "grid error p99, µs", part: "pacing", rate: slowRate, pick: value(keyGrid99), format: micros},
		row{label: "CPU s per 100,000 at " + at(middleRate), part: "latency", rate: middleRate, pick: cpuPer100k, format: seconds},
		row{label: "CPU s per 100,000 at " + at(fastRate), wanted: "≤ 1.1 × fortio", part: "latency", rate: fastRate, pick: cpuPer100k, format: seconds},
		row{label: "resident at " + at(middleRate) + ", MiB", part: "latency", rate: middleRate, pick: peak, format: mebibytes},
	)
	for _, q := range []struct {
		name string
		q    float64
		pick func(Record) (float64, bool)
	}{{"p90", 0.9, p90}, {"p99", 0.99, p99}, {"p99.9", 0.999, p999}} {
		truth := measure.StalledQuantile(q.q, p.stalls.length, p.stalls.stall, len(p.stalls.begins()))
		list = append(list, row{
			label: fmt.Sprintf("stalls: %s, ms (true: %s)", q.name, millis(float64(truth))), wanted: "within 3 %",
			part: "stalled", rate: stallRate, alone: true, pick: q.pick, format: millis,
		})
	}
	sent := float64(stallRate) * p.stalls.length.Seconds()
	return append(list, row{
		label: fmt.Sprintf("stalls: accounted for, of %s", whole(sent)), wanted: "all",
		part: "stalled", rate: stallRate, alone: true, pick: accounted, format: whole,
	})
}

func p50(r Record) (float64, bool)  { return told(r.Figures.P50) }
func p90(r Record) (float64, bool)  { return told(r.Figures.P90) }
func p99(r Record) (float64, bool)  { return told(r.Figures.P99) }
func p999(r Record) (float64, bool) { return told(r.Figures.P999) }

func told(d *time.Duration) (float64, bool) {
	if d == nil {
		return 0, false
	}
	return float64(*d), true
}

func accounted(r Record) (float64, bool) { return float64(r.Figures.Accounted()), true }

func peak(r Record) (float64, bool) { return float64(r.PeakBytes), r.PeakBytes > 0 }

// cpuPer100k is by good answers: who is behind has sent less.
func cpuPer100k(r Record) (float64, bool) {
	return r.CPU.Seconds() / float64(r.Figures.OK) * 1e5, r.Figures.OK > 0
}

func at(rate int) string { return whole(float64(rate)) + "/s" }

// whole prints an integer with commas between thousands.
func whole(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func micros(ns float64) string {
	if ns < 100e3 {
		return fmt.Sprintf("%.1f", ns/1e3)
	}
	return whole(ns / 1e3)
}

func millis(ns float64) string {
	if ns < 100e6 {
		return fmt.Sprintf("%.1f", ns/1e6)
	}
	return whole(ns / 1e6)
}

func seconds(s float64) string { return fmt.Sprintf("%.2f", s) }

func mebibytes(b float64) string { return fmt.Sprintf("%.0f", b/(1<<20)) }
