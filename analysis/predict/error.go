package predict

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// predictTrials compares trials of a model with measured trials.
func predictTrials(model, measured []float64) Prediction {
	p := Prediction{Source: Twin, Value: valueOf(model)}
	if len(measured) == 0 {
		return p
	}
	at := stat.Mean(measured, nil)
	below := 0
	for _, v := range model {
		if v <= at {
			below++
		}
	}
	p.Rank = new(float64(below) / float64(len(model)))
	p.relative(spreadOf(model), spreadOf(measured))
	return p
}

// predictValue compares a steady state with measured trials. A simulated one
// comes with its interval, an exact one is a number.
func predictValue(source Source, v Value, measured []float64) Prediction {
	p := Prediction{Source: source, Value: v}
	if len(measured) == 0 {
		return p
	}
	model := spread{mean: v.Mean, df: math.Inf(1)}
	if v.High != nil && v.N > 1 {
		nu := float64(v.N - 1)
		model.se, model.df = (*v.High-v.Mean)/studentT(nu), nu
	}
	p.relative(model, spreadOf(measured))
	return p
}

// A spread is a mean with its standard error; df 0 where one value tells none.
type spread struct{ mean, se, df float64 }

func spreadOf(values []float64) spread {
	s := spread{mean: stat.Mean(values, nil), df: float64(len(values) - 1)}
	if s.df > 0 {
		s.se = stat.StdDev(values, nil) / math.Sqrt(float64(len(values)))
	}
	return s
}

// relative fills in predicted/measured − 1. Its interval is that of the ratio of
// two independent means by the delta method, with the degrees of freedom of
// Welch and Satterthwaite; one measured trial has no spread and gives none.
func (p *Prediction) relative(model, measured spread) {
	if measured.mean == 0 {
		return
	}
	ratio := model.mean / measured.mean
	p.Error = new(ratio - 1)
	if measured.df == 0 || model.df == 0 {
		return
	}
	a, b := model.se/measured.mean, ratio*measured.se/measured.mean
	variance := a*a + b*b
	half := 0.0
	if variance > 0 {
		half = studentT(variance*variance/(a*a*a*a/model.df+b*b*b*b/measured.df)) * math.Sqrt(variance)
	}
	p.ErrorLow, p.ErrorHigh = new(ratio-1-half), new(ratio-1+half)
}

// studentT is the 97.5 % quantile of Student's t.
func studentT(nu float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(0.975)
}
