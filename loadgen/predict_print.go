package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"edgebench/analysis/predict"
	"edgebench/analysis/report"
)

func printPrediction(out io.Writer, r *predict.Report) error {
	width := widthOf(out)
	fmt.Fprintf(out, "%s   policy %s   service %s   %s\n", r.Profile, r.Policy, r.Service, runsWord(len(r.Runs)))
	for _, doubt := range r.Doubts {
		fmt.Fprintf(out, "  %s\n", report.Wrap(doubt, 2, 2, width))
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "scope\tquantity\tunit\tmeasured\tmodel\tpredicted (95 % interval)\terror (95 % interval)\trank\t")
	for _, row := range r.Rows {
		scope, quantity, unit, measured := row.Scope, row.Quantity, row.Unit, "–"
		if row.Measured != nil {
			measured = valueText(*row.Measured)
		}
		if len(row.Predictions) == 0 {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t–\t–\t\t\t\n", scope, quantity, unit, measured)
		}
		for _, p := range row.Predictions {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", scope, quantity, unit, measured, p.Source, valueText(p.Value), errorText(p), rankText(p.Rank))
			scope, quantity, unit, measured = "", "", "", ""
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprint(out, "\nR and its quantiles are response times of ok; N = X·R; error = predicted/measured − 1;\nrank = share of the twin's trials at or below the measured value\n")
	for _, m := range r.Models {
		scope := ""
		if len(m.Scopes) > 0 {
			scope = " (" + strings.Join(m.Scopes, ", ") + ")"
		}
		fmt.Fprintf(out, "%-6s %s\n       %s\n", m.Source, report.Wrap(m.Name+scope, 7, 7, width),
			report.Wrap("leaves out: "+strings.Join(m.Leaves, "; "), 7, 7, width))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(out, "note   %s\n", report.Wrap(note, 7, 7, width))
	}
	return nil
}

func runsWord(n int) string {
	switch n {
	case 0:
		return "nothing measured"
	case 1:
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

func valueText(v predict.Value) string {
	text := fmt.Sprintf("%.4g", v.Mean)
	if v.Low != nil {
		text += fmt.Sprintf(" (%.4g to %.4g)", *v.Low, *v.High)
	}
	return text
}

func errorText(p predict.Prediction) string {
	if p.Error == nil {
		return ""
	}
	text := fmt.Sprintf("%+.1f %%", 100**p.Error)
	if p.ErrorLow != nil {
		text += fmt.Sprintf(" (%+.1f to %+.1f)", 100**p.ErrorLow, 100**p.ErrorHigh)
	}
	return text
}

func rankText(rank *float64) string {
	if rank == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *rank)
}

// writePredictionCSV writes one row a prediction, and one for a quantity that was
// only measured.
func writePredictionCSV(out io.Writer, r *predict.Report) error {
	w := csv.NewWriter(out)
	_ = w.Write([]string{"scope", "quantity", "unit", "measured", "measured_low95", "measured_high95", "measured_n",
		"source", "predicted", "predicted_low95", "predicted_high95", "predicted_n", "relative_error", "relative_error_low95", "relative_error_high95", "rank"})
	for _, row := range r.Rows {
		measured := make([]string, 4)
		if row.Measured != nil {
			measured = valueCells(*row.Measured)
		}
		head := append([]string{row.Scope, row.Quantity, row.Unit}, measured...)
		if len(row.Predictions) == 0 {
			_ = w.Write(append(head, make([]string, 9)...))
		}
		for _, p := range row.Predictions {
			cells := append(append([]string{}, head...), string(p.Source))
			cells = append(cells, valueCells(p.Value)...)
			_ = w.Write(append(cells, cell(p.Error), cell(p.ErrorLow), cell(p.ErrorHigh), cell(p.Rank)))
		}
	}
	w.Flush()
	return w.Error()
}

func valueCells(v predict.Value) []string {
	return []string{cell(&v.Mean), cell(v.Low), cell(v.High), strconv.Itoa(v.N)}
}
