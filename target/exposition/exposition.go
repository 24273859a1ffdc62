// Package exposition writes metrics as Prometheus reads them: the text format,
// and, for those who ask for it, the protobuf format, the only one that carries
// native histograms. It is a few hundred lines because the node's memory is
// measured: the usual client library and the protobuf runtime under it would be
// most of what the node's program holds.
//
// Formats: prometheus.io/docs/instrumenting/exposition_formats, and
// io/prometheus/client/metrics.proto of github.com/prometheus/client_model.
package exposition

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// A Kind of metrics.
type Kind uint8

// Kinds, by their numbers in metrics.proto.
const (
	Counter Kind = 0
	Gauge   Kind = 1
	Buckets Kind = 4 // of a Histogram
)

func (k Kind) String() string {
	switch k {
	case Counter:
		return "counter"
	case Gauge:
		return "gauge"
	}
	return "histogram"
}

// A Writer writes one answer. Metrics of a family follow its Family call. One that
// is used again, from Begin on, makes no garbage in the text format: a node that is
// scraped must not grow by it.
type Writer struct {
	protobuf bool
	out      []byte
	name     string // of the family
	kind     Kind
	family   []byte // in protobuf: of the family so far
}

// Begin begins an answer in the format that an Accept header asks for, in the
// memory of the one before.
func (w *Writer) Begin(accept []byte) {
	w.protobuf = bytes.Contains(accept, []byte("application/vnd.google.protobuf")) && bytes.Contains(accept, []byte("MetricFamily"))
	w.out, w.family = w.out[:0], w.family[:0]
}

// Type is the content type of the answer.
func (w *Writer) Type() string {
	if w.protobuf {
		return "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
	}
	return "text/plain; version=0.0.4; charset=utf-8"
}

// Family begins metrics of one name. The name carries the unit, and ends in
// _total for a counter.
func (w *Writer) Family(name, help string, kind Kind) {
	w.close()
	w.name, w.kind = name, kind
	if w.protobuf {
		w.family = appendText(w.family[:0], 1, name)
		w.family = appendText(w.family, 2, help)
		w.family = appendNumber(w.family, 3, uint64(kind))
		return
	}
	w.text("# HELP ", name, " ", helpEscapes.Replace(help), "\n# TYPE ", name, " ", kind.String(), "\n")
}

// Value writes one metric of the family; labels are names and values in turn.
func (w *Writer) Value(v float64, labels ...string) {
	if w.protobuf {
		w.metric(func(b []byte) []byte {
			field := 2 // gauge
			if w.kind == Counter {
				field = 3
			}
			return appendMessage(b, field, appendDouble(nil, 1, v))
		}, labels)
		return
	}
	w.sample("", v, labels, none)
}

// Bytes is the whole answer.
func (w *Writer) Bytes() []byte {
	w.close()
	return w.out
}

// close ends a family of the protobuf format, where its length comes first.
func (w *Writer) close() {
	if w.protobuf && len(w.family) > 0 {
		w.out = appendVarint(w.out, uint64(len(w.family)))
		w.out = append(w.out, w.family...)
		w.family = w.family[:0]
	}
}

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func (w *Writer) text(parts ...string) {
	for _, part := range parts {
		w.out = append(w.out, part...)
	}
}

// none is the bound of what is no bucket.
const none = -1

// sample writes a line of the text format; bound is a bucket's upper one, in s.
func (w *Writer) sample(suffix string, v float64, labels []string, bound float64) {
	w.text(w.name, suffix)
	separator := "{"
	for i := 0; i+1 < len(labels); i += 2 {
		w.text(separator, labels[i], `="`, labelEscapes.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD")), `"`)
		separator = ","
	}
	if bound != none {
		w.text(separator, `le="`)
		w.out = append(appendFloat(w.out, bound), '"')
		separator = ","
	}
	if separator == "," {
		w.text("}")
	}
	w.text(" ")
	w.out = append(appendFloat(w.out, v), '\n')
}

func appendFloat(b []byte, v float64) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(b, "+Inf"...)
	case math.IsInf(v, -1):
		return append(b, "-Inf"...)
	case math.IsNaN(v):
		return append(b, "NaN"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
