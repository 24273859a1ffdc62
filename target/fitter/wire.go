package fitter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"edgebench/target/arima"
	"edgebench/target/policy"
)

// Messages on the socket, native byte order, one a packet. A question is p, d, q
// and the values wanted, 32 bits each, then the series. An answer is how long it
// took in ns and the number of values, then those, or where there are none why.
const (
	questionHead = 16
	answerHead   = 16
	maxMessage   = 64 << 10 // 8,000 values, far above any series or lead
)

// errMessage means that the two ends disagree, which a binary cannot with itself.
var errMessage = errors.New("malformed message")

func appendQuestion(b []byte, q policy.Question) []byte {
	for _, n := range []int{q.Order.P, q.Order.D, q.Order.Q, q.Ahead} {
		b = binary.NativeEndian.AppendUint32(b, uint32(n))
	}
	return appendFloats(b, q.Series)
}

func parseQuestion(b []byte) (policy.Question, error) {
	if len(b) < questionHead || (len(b)-questionHead)%8 != 0 {
		return policy.Question{}, fmt.Errorf("%w: question of %d bytes", errMessage, len(b))
	}
	at := func(i int) int { return int(int32(binary.NativeEndian.Uint32(b[4*i:]))) }
	q := policy.Question{Order: arima.Order{P: at(0), D: at(1), Q: at(2)}, Ahead: at(3)}
	if q.Ahead < 1 || q.Ahead > (maxMessage-answerHead)/8 {
		return policy.Question{}, fmt.Errorf("%w: question for %d values", errMessage, q.Ahead)
	}
	q.Series = floats(b[questionHead:])
	return q, nil
}

// An answer is what came of a question.
type answer struct {
	took     time.Duration
	forecast []float64
	err      error // why there is no forecast
}

func (a answer) append(b []byte) []byte {
	b = binary.NativeEndian.AppendUint64(b, uint64(a.took))
	if a.err != nil {
		b = binary.NativeEndian.AppendUint64(b, 0)
		return append(b, a.err.Error()...)
	}
	b = binary.NativeEndian.AppendUint64(b, uint64(len(a.forecast)))
	return appendFloats(b, a.forecast)
}

func parseAnswer(b []byte) (answer, error) {
	if len(b) < answerHead {
		return answer{}, fmt.Errorf("%w: answer of %d bytes", errMessage, len(b))
	}
	a := answer{took: time.Duration(binary.NativeEndian.Uint64(b))}
	n, rest := binary.NativeEndian.Uint64(b[8:]), b[answerHead:]
	switch {
	case n == 0:
		a.err = errors.New(string(rest))
	case n != uint64(len(rest)/8) || len(rest)%8 != 0:
		return answer{}, fmt.Errorf("%w: answer of %d bytes with %d values", errMessage, len(b), n)
	default:
		a.forecast = floats(rest)
	}
	return a, nil
}

func appendFloats(b []byte, values []float64) []byte {
	for _, x := range values {
		b = binary.NativeEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func floats(b []byte) []float64 {
	values := make([]float64, len(b)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.NativeEndian.Uint64(b[8*i:]))
	}
	return values
}
