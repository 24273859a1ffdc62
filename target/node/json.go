package node

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// object builds a JSON object by appending: events are encoded into buffers that
// are reused, and the binary, whose memory is measured, does without the
// standard encoder.
type object struct{ buf []byte }

func (o *object) open() { o.buf = append(o.buf, '{') }

// close also drops the comma that the last member left.
func (o *object) close() {
	o.trim()
	o.buf = append(o.buf, '}', ',')
}

func (o *object) trim() {
	if n := len(o.buf) - 1; o.buf[n] == ',' {
		o.buf = o.buf[:n]
	}
}

func (o *object) key(name string) {
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, '"', ':')
}

func (o *object) nest(name string) { o.key(name); o.open() }

func (o *object) list(name string) {
	o.key(name)
	o.buf = append(o.buf, '[')
}

func (o *object) endList() {
	o.trim()
	o.buf = append(o.buf, ']', ',')
}

func (o *object) integer(name string, v int64) {
	o.key(name)
	o.buf = append(strconv.AppendInt(o.buf, v, 10), ',')
}

func (o *object) count(name string, v uint64) {
	o.key(name)
	o.buf = append(strconv.AppendUint(o.buf, v, 10), ',')
}

// number writes null for what JSON cannot say.
func (o *object) number(name string, v float64) {
	o.key(name)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		o.buf = append(o.buf, "null,"...)
		return
	}
	o.buf = append(strconv.AppendFloat(o.buf, v, 'g', -1, 64), ',')
}

func (o *object) boolean(name string, v bool) {
	o.key(name)
	o.buf = append(strconv.AppendBool(o.buf, v), ',')
}

func (o *object) text(name, v string) {
	o.key(name)
	o.buf = append(o.buf, '"')
	for _, r := range v { // invalid UTF-8 becomes the replacement character
		switch {
		case r == '"' || r == '\\':
			o.buf = append(o.buf, '\\', byte(r))
		case r < 0x20:
			const hex = "0123456789abcdef"
			o.buf = append(o.buf, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			o.buf = utf8.AppendRune(o.buf, r)
		}
	}
	o.buf = append(o.buf, '"', ',')
}

// done is the finished outermost object.
func (o *object) done() []byte {
	o.trim()
	return o.buf
}
