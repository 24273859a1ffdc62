package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/report"
)

// A studyRow is a figure of the study beside ours.
type studyRow struct {
	Model    string        `json:"model"`
	Variants []string      `json:"variants"`
	Lambda   *float64      `json:"lambda_rps"` // null: over all rates
	Metric   string        `json:"metric"`
	Study    float64       `json:"study"`
	StudyAt  *float64      `json:"study_at_rps"`
	Ours     *float64      `json:"ours"`      // null: no formula and no simulation, or no steady state
	OursHalf *float64      `json:"ours_half"` // of the 95 % interval; null: by a formula
	OursAt   *float64      `json:"ours_at_rps"`
	Note     string        `json:"note"`
	Verdict  qpn.Judgement `json:"verdict"`
	Why      string        `json:"why"`
}

// studyRows compute ours by formula, and by simulation where there is none and a
// peak is asked for.
func studyRows(ctx context.Context) ([]studyRow, error) {
	var rows []studyRow
	for _, f := range qpn.Study() {
		row := studyRow{Model: f.Model, Variants: f.Variants, Metric: f.Metric, Study: f.Value, StudyAt: nonZero(f.At), Lambda: nonZero(f.Lambda), Verdict: f.Verdict, Why: f.Why}
		ours, err := f.Ours()
		var overload *exact.Overload
		switch {
		case err == nil:
			row.Ours, row.OursAt = finite(ours.Value), nonZero(ours.At)
		case errors.As(err, &overload) && overload.Critical():
			row.Note = "critical"
		case errors.As(err, &overload):
			row.Note = "unstable"
		case errors.Is(err, qpn.ErrNoFormula) && f.Metric == qpn.PowerPeak:
			if err := row.simulatePeak(ctx); err != nil {
				return nil, err
			}
		default:
			row.Note = err.Error()
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// peakRates and peakOptions find a peak of power to a few percent in a second or two: the
// curve is flat there.
const peakRates = "6:14:0.5"

var peakOptions = qpn.Options{Replications: 6, Departures: 40_000}

func (r *studyRow) simulatePeak(ctx context.Context) error {
	m, err := loadModel(r.model(), nil)
	if err != nil {
		return err
	}
	lambdas, err := qpn.ParseLambdas(peakRates)
	if err != nil {
		return err
	}
	points, err := qpn.Sweep(ctx, m, lambdas, peakOptions, nil)
	if err != nil {
		return err
	}
	peak := qpn.PeakOf(points)
	if peak == nil {
		r.Note = "no steady state at " + peakRates
		return nil
	}
	power := peak.Measures.Power
	r.Ours, r.OursHalf, r.OursAt, r.Note = finite(power.Mean), finite(power.Half), &peak.Lambda, "simulated"
	return nil
}

// model is the model with the first of its variants.
func (r *studyRow) model() string {
	if len(r.Variants) > 0 && r.Variants[0] != "" {
		return r.Model + ":" + r.Variants[0]
	}
	return r.Model
}

// ours is our value as people read it, or why there is none.
func (r *studyRow) ours() string {
	switch {
	case r.Ours == nil:
		return r.Note
	case r.OursHalf != nil:
		return fmt.Sprintf("%.3g ± %.1g at %.4g", *r.Ours, *r.OursHalf, *r.OursAt)
	}
	return atRate(*r.Ours, r.OursAt)
}

func nonZero(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}

func printStudy(ctx context.Context, out io.Writer, asJSON, asCSV bool) error {
	rows, err := studyRows(ctx)
	switch {
	case err != nil:
		return err
	case asJSON:
		return writeJSON(out, rows)
	case asCSV:
		return writeStudyCSV(out, rows)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "model\tmetric\tlambda /s\tstudy\tours\tverdict\twhy")
	var reasons []string // each once, by its number
	for _, r := range rows {
		why := slices.Index(reasons, r.Why)
		if why < 0 {
			why, reasons = len(reasons), append(reasons, r.Why)
		}
		lambda := "all"
		if r.Lambda != nil {
			lambda = fmt.Sprintf("%g", *r.Lambda)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t[%d]\n", r.model(), r.Metric, lambda, atRate(r.Study, r.StudyAt), r.ours(), r.Verdict, why+1)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nours is by a formula; with ± it is simulated, the largest of a grid, with its 95 % interval")
	for i, why := range reasons {
		fmt.Fprintf(out, "%4s %s\n", fmt.Sprintf("[%d]", i+1), report.Wrap(why, 5, 5, widthOf(out)))
	}
	return nil
}

func writeStudyCSV(out io.Writer, rows []studyRow) error {
	w := csv.NewWriter(out)
	records := [][]string{{"model", "metric", "lambda_rps", "study", "study_at_rps", "ours", "ours_half", "ours_at_rps", "note", "verdict", "why"}}
	for _, r := range rows {
		records = append(records, []string{
			r.model(), r.Metric, cell(r.Lambda), cell(&r.Study), cell(r.StudyAt), cell(r.Ours), cell(r.OursHalf), cell(r.OursAt),
			r.Note, string(r.Verdict), r.Why,
		})
	}
	return w.WriteAll(records)
}

func atRate(v float64, at *float64) string {
	if at == nil {
		return fmt.Sprintf("%.5g", v)
	}
	return fmt.Sprintf("%.5g at %.4g", v, *at)
}
