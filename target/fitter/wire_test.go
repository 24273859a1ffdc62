package fitter

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMessagesReadBack(t *testing.T) {
	t.Parallel()
	q := question()
	got, err := parseQuestion(appendQuestion(nil, q))
	if diff := cmp.Diff(q, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, a := range []answer{{time.Second, []float64{1, 2}, nil}, {1, nil, errors.New("constant")}} {
		got, err := parseAnswer(a.append(nil))
		if err != nil || got.took != a.took || !cmp.Equal(got.forecast, a.forecast) || (got.err == nil) != (a.err == nil) {
			t.Errorf("%+v became %+v, %v", a, got, err)
		}
	}
}

// What is accepted is written back the same; nothing else matters than that no
// message breaks the reader.
func FuzzMessages(f *testing.F) {
	f.Add(appendQuestion(nil, question()))
	f.Add(answer{5, []float64{1}, nil}.append(nil))
	f.Add(answer{5, nil, errors.New("x")}.append(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if q, err := parseQuestion(b); err == nil && !bytes.Equal(appendQuestion(nil, q), b) {
			t.Errorf("question %+v", q)
		}
		if a, err := parseAnswer(b); err == nil && !bytes.Equal(a.append(nil), b) {
			t.Errorf("answer %+v", a)
		}
	})
}
