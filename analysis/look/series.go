package look

import (
	"encoding/json"
	"math"
	"strconv"

	"edgebench/analysis/rundir"
)

// A Series is a column of a chart; NaN inside, null in JSON, is a gap.
type Series []float64

// MarshalJSON writes six significant digits: more is file size nobody sees.
func (s Series) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 8*len(s)+2)
	b = append(b, '[')
	for i, v := range s {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b = append(b, "null"...)
			continue
		}
		b = strconv.AppendFloat(b, v, 'g', 6, 64)
	}
	return append(b, ']'), nil
}

// UnmarshalJSON is the inverse.
func (s *Series) UnmarshalJSON(text []byte) error {
	var values []*float64
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for _, v := range values {
		if v == nil {
			v = new(math.NaN())
		}
		*s = append(*s, *v)
	}
	return nil
}

// Milliseconds is a time in ns as charts have it, a gap where nothing happened.
func Milliseconds(n, ns int64) float64 {
	if n == 0 || ns == rundir.Unknown {
		return math.NaN()
	}
	return float64(ns) / 1e6
}

// Value is n in a unit, a gap where it is not known.
func Value(n rundir.Number, unit float64) float64 {
	if !n.Known {
		return math.NaN()
	}
	return n.Value / unit
}
