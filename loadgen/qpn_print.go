package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/stats"
	"edgebench/analysis/report"
)

// A pointRow is a point as JSON and CSV have it: null or empty where there is
// no number.
type pointRow struct {
	Model        string      `json:"model"`
	Lambda       float64     `json:"lambda_rps"`
	Verdict      qpn.Verdict `json:"verdict"`
	Reason       string      `json:"reason"`
	Capacity     *float64    `json:"capacity_rps"` // null: no limit, or unknown
	X            *float64    `json:"x_rps"`
	XHalf        *float64    `json:"x_half"`
	R            *float64    `json:"r_seconds"`
	RHalf        *float64    `json:"r_half"`
	N            *float64    `json:"n"`
	NHalf        *float64    `json:"n_half"`
	Power        *float64    `json:"power"`
	PowerHalf    *float64    `json:"power_half"`
	ExactR       *float64    `json:"exact_r_seconds"`
	ExactN       *float64    `json:"exact_n"`
	ExactPower   *float64    `json:"exact_power"`
	Level        float64     `json:"level"`
	Replications int         `json:"replications"`
	Warnings     []string    `json:"warnings"`
	Settings     []string    `json:"settings"` // parameters set by hand
}

func pointRows(m *qpn.Model, points []*qpn.Point) []pointRow {
	rows := make([]pointRow, 0, len(points))
	for _, pt := range points {
		row := pointRow{
			Model: m.Title(), Lambda: pt.Lambda, Verdict: pt.Verdict, Reason: pt.Reason,
			Replications: pt.Replications, Warnings: append([]string{}, pt.Warnings...), Settings: append([]string{}, m.Settings...),
		}
		if pt.Capacity > 0 {
			row.Capacity = finite(pt.Capacity)
		}
		if ms := pt.Measures; ms != nil {
			row.Level = ms.R.Level
			row.X, row.XHalf = finite(ms.X.Mean), finite(ms.X.Half)
			row.R, row.RHalf = finite(ms.R.Mean), finite(ms.R.Half)
			row.N, row.NHalf = finite(ms.N.Mean), finite(ms.N.Half)
			row.Power, row.PowerHalf = finite(ms.Power.Mean), finite(ms.Power.Half)
		}
		if ex := pt.Exact; ex != nil {
			row.ExactR, row.ExactN, row.ExactPower = finite(ex.R), finite(ex.N), finite(ex.Power)
		}
		rows = append(rows, row)
	}
	return rows
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

var pointColumns = []string{
	"model", "lambda_rps", "verdict", "capacity_rps", "x_rps", "x_half", "r_seconds", "r_half",
	"n", "n_half", "power", "power_half", "exact_r_seconds", "exact_n", "exact_power", "level", "replications", "settings", "reason", "warnings",
}

func writePointsCSV(out io.Writer, rows []pointRow) error {
	w := csv.NewWriter(out)
	if err := w.Write(pointColumns); err != nil {
		return err
	}
	for _, r := range rows {
		record := []string{r.Model, cell(&r.Lambda), string(r.Verdict)}
		for _, v := range []*float64{r.Capacity, r.X, r.XHalf, r.R, r.RHalf, r.N, r.NHalf, r.Power, r.PowerHalf, r.ExactR, r.ExactN, r.ExactPower} {
			record = append(record, cell(v))
		}
		record = append(record, cell(&r.Level), strconv.Itoa(r.Replications), strings.Join(r.Settings, " "), r.Reason, strings.Join(r.Warnings, "; "))
		if err := w.Write(record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func cell(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', 8, 64)
}

// printPoints prints the sweep as people read it: what was simulated with its
// interval, then the exact response time, then what the study says at that rate.
func printPoints(out io.Writer, m *qpn.Model, points []*qpn.Point, first bool) error {
	if !first {
		fmt.Fprintln(out)
	}
	width, heading := widthOf(out), m.Label()
	if m.Description != "" {
		heading += "   " + report.Wrap(m.Description, utf8.RuneCountInString(heading)+3, 2, width)
	}
	fmt.Fprintf(out, "%s\n\n", heading)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "lambda /s\tX /s\tR s\tN\tpower\texact R s\tR inside\tverdict\t")
	for _, pt := range points {
		ms := pt.Measures
		if ms == nil {
			fmt.Fprintf(w, "%g\t–\t–\t–\t–\t–\t–\t%s\t\n", pt.Lambda, pt.Verdict)
			continue
		}
		exactR, inside := "–", "–"
		if pt.Exact != nil {
			exactR, inside = fmt.Sprintf("%.5g", pt.Exact.R), "no"
			if ms.R.Covers(pt.Exact.R) {
				inside = "yes"
			}
		}
		fmt.Fprintf(w, "%g\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", pt.Lambda, plusMinus(ms.X), plusMinus(ms.R), plusMinus(ms.N), plusMinus(ms.Power), exactR, inside, pt.Verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, pt := range points {
		say := func(format string, args ...any) {
			fmt.Fprintf(out, "\n%s", report.Wrap(fmt.Sprintf("lambda %g: ", pt.Lambda)+fmt.Sprintf(format, args...), 0, 2, width))
		}
		if pt.Reason != "" {
			say("%s", pt.Reason)
		}
		for _, warning := range pt.Warnings {
			say("warning: %s", warning)
		}
		for _, f := range pt.Figures {
			say("the study has %s = %g: %s, %s", f.Metric, f.Value, f.Verdict, f.Why)
		}
	}
	if len(points) > 0 && points[0].Measures != nil {
		fmt.Fprintf(out, "\nintervals: %g %%, over %d replications", 100*points[0].Measures.R.Level, points[0].Replications)
	}
	_, err := fmt.Fprintln(out)
	return err
}

func plusMinus(i stats.Interval) string {
	if math.IsNaN(i.Half) {
		return fmt.Sprintf("%.4g", i.Mean)
	}
	return fmt.Sprintf("%.4g ± %.2g", i.Mean, i.Half)
}
