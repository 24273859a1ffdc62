package httpwire

import (
	"bytes"
	"iter"
)

// A Request is a parsed head. Its byte slices point into the input that was
// given to the parser, or into the buffer of Own; they hold as long as it does.
type Request struct {
	Minor          uint8  // HTTP/1.Minor: 0 or 1
	KeepAlive      bool   // the client lets the connection live on after the response
	ExpectContinue bool   // the client waits for 100 Continue before it sends the body
	Length         int64  // bytes of the body, 0 for none, -1 for chunked
	Body           []byte // filled by whoever collects the Body events

	raw                 []byte // request line and headers, with the final empty line
	method, target, end int    // ends of the method and the target, and of the request line with its CRLF
}

// HasBody reports whether Body events may follow.
func (r *Request) HasBody() bool { return r.Length != 0 }

// Method is the method as sent; methods are case-sensitive.
func (r *Request) Method() []byte { return r.raw[:r.method] }

// Target is the request target as sent.
func (r *Request) Target() []byte { return r.raw[r.method+1 : r.target] }

// Path is the target without query, and without scheme and authority where a
// client sent the absolute form. It is not percent-decoded.
func (r *Request) Path() []byte {
	path, _ := r.split()
	return path
}

// Query is what follows the first '?' of the target, empty without one.
func (r *Request) Query() []byte {
	_, query := r.split()
	return query
}

func (r *Request) split() (path, query []byte) {
	t := r.Target()
	if t[0] != '/' {
		if i := bytes.Index(t, []byte("://")); i >= 0 {
			t = t[i+3:]
			if i = bytes.IndexAny(t, "/?"); i < 0 {
				return []byte("/"), nil
			}
			if t = t[i:]; t[0] == '?' {
				return []byte("/"), t[1:]
			}
		}
	}
	if i := bytes.IndexByte(t, '?'); i >= 0 {
		return t[:i], t[i+1:]
	}
	return t, nil
}

// Header returns the value of the first header of that name, which is given in
// lower case, or nil.
func (r *Request) Header(lower string) []byte {
	for name, value := range r.Headers() {
		if equalFold(name, lower) {
			return value
		}
	}
	return nil
}

// Headers yields every header in order, names as sent, values trimmed.
func (r *Request) Headers() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		rest := r.raw[r.end:]
		for {
			i := bytes.IndexByte(rest, '\n')
			if i <= 1 { // the empty line
				return
			}
			line := rest[:i-1]
			colon := bytes.IndexByte(line, ':')
			if !yield(line[:colon], trimSpace(line[colon+1:])) {
				return
			}
			rest = rest[i+1:]
		}
	}
}

// Own moves the head into buf, grown as needed, and returns buf for reuse:
// for whoever has to keep a head while its body is still arriving.
func (r *Request) Own(buf []byte) []byte {
	buf = append(buf[:0], r.raw...)
	r.raw = buf
	return buf
}
