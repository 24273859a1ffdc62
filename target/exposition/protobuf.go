package exposition

import (
	"encoding/binary"
	"math"
	"strings"
)

// Wire types of protobuf.
const (
	wireVarint = 0
	wireDouble = 1
	wireBytes  = 2
)

func appendVarint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

func appendNumber(b []byte, field int, v uint64) []byte {
	return appendVarint(appendVarint(b, uint64(field<<3|wireVarint)), v)
}

func appendDouble(b []byte, field int, v float64) []byte {
	return binary.LittleEndian.AppendUint64(appendVarint(b, uint64(field<<3|wireDouble)), math.Float64bits(v))
}

func appendMessage(b []byte, field int, message []byte) []byte {
	b = appendVarint(appendVarint(b, uint64(field<<3|wireBytes)), uint64(len(message)))
	return append(b, message...)
}

func appendText(b []byte, field int, text string) []byte {
	return appendMessage(b, field, []byte(strings.ToValidUTF8(text, "\uFFFD")))
}

// zigzag is how protobuf writes a sint.
func zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

// metric appends one metric to the family: its labels, then its value.
func (w *Writer) metric(value func([]byte) []byte, labels []string) {
	var m []byte
	for i := 0; i+1 < len(labels); i += 2 {
		m = appendMessage(m, 1, appendText(appendText(nil, 1, labels[i]), 2, labels[i+1]))
	}
	w.family = appendMessage(w.family, 4, value(m))
}
