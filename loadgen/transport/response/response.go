// Package response takes HTTP/1.1 responses apart for every transport, so that
// one response means the same whatever carried it. It decides where a response
// ends, what class it is and what a sample says of it; it reads nothing itself,
// and keeps no more of a body than a check asks for.
package response

import (
	"bytes"

	"edgebench/analysis/rundir"
)

// A stage is the part of a response that is expected next.
type stage uint8

const (
	inHead    stage = iota
	inLength        // a body of known length
	inChunks        // a chunked body
	toClose         // a body that ends with the connection
	whole           // nothing: the response is complete
	malformed       // nothing: it will never be
)

// A Response takes one response apart as its bytes come, however they are cut.
// Bodies are counted, and kept only as far as the expectation wants.
type Response struct {
	stage  stage
	fault  rundir.Outcome // when malformed
	status uint16
	reuse  bool   // the connection may carry another request
	head   []byte // the header so far, when it came in pieces
	left   int64  // bytes of the body still to come
	body   int64  // bytes of the body so far
	bytes  int64  // of the whole response so far
	chunks chunks
	marks  marks

	expected *Expectation
	kept     []byte // of the body, for the expectation's check
	encoding string // of the body, where there is such a check

	// stray is the length of a body that was declared and must not come: a
	// HEAD's. A server that sends it all the same must not have it taken for
	// the header of the next response, so that many bytes are skipped there.
	stray int64
}

// keptHead is the most a connection keeps of a header's buffer for the next one.
const keptHead = 4 << 10

// Reset prepares for the next response on the connection.
func (r *Response) Reset() {
	head := r.head[:0]
	if cap(head) > keptHead {
		head = nil
	}
	*r = Response{head: head, kept: r.kept[:0], stray: r.stray, expected: anything}
}

// Feed takes bytes from the wire and returns those after the end of the
// response. One that is whole or malformed takes nothing more.
func (r *Response) Feed(b []byte, h *Parser) []byte {
	r.bytes += int64(len(b))
	for len(b) > 0 {
		switch r.stage {
		case inHead:
			b = r.feedHead(b, h)
		case inLength:
			n := min(int64(len(b)), r.left)
			r.keep(b[:n])
			b, r.left, r.body = b[n:], r.left-n, r.body+n
			if r.left == 0 {
				r.stage = whole
			}
		case inChunks:
			b = r.feedChunks(b, r.limit(h))
		case toClose:
			r.keep(b)
			r.body += int64(len(b))
			b = nil
			if r.body > r.limit(h) {
				r.fail(rundir.ErrBodyTooLarge)
			}
		default:
			r.bytes -= int64(len(b))
			return b
		}
	}
	return nil
}

func (r *Response) fail(o rundir.Outcome) {
	r.stage, r.fault, r.reuse = malformed, o, false
}

var headEnd = []byte("\r\n\r\n")

// feedHead looks for the end of the header. A header in one piece, the usual
// case, is parsed where it lies.
func (r *Response) feedHead(b []byte, h *Parser) []byte {
	if len(r.head) == 0 {
		if b = r.skipStray(b); len(b) == 0 {
			return nil
		}
		if !plausible(b) {
			r.fail(rundir.ErrProtocol)
			return b
		}
		if end := bytes.Index(b, headEnd); end >= 0 && end+len(headEnd) <= h.limit {
			end += len(headEnd)
			r.endHead(b[:end], h)
			return b[end:]
		}
	}
	from := max(0, len(r.head)-len(headEnd)+1) // the end may straddle two pieces
	before := len(r.head)
	r.head = append(r.head, b...)
	if !plausible(r.head) {
		r.fail(rundir.ErrProtocol)
		return b
	}
	end := bytes.Index(r.head[from:], headEnd)
	switch {
	case end < 0 && len(r.head) > h.limit, end >= 0 && from+end+len(headEnd) > h.limit:
		r.fail(rundir.ErrHeaderTooLarge)
		return b
	case end < 0:
		return nil
	}
	end += from + len(headEnd)
	r.endHead(r.head[:end], h)
	r.head = r.head[:0]
	return b[end-before:]
}

var protocolName = []byte("HTTP/1.")

// plausible reports whether b may begin a response. Another protocol is known
// by its first bytes, without waiting for a header that never ends.
func plausible(b []byte) bool {
	n := min(len(b), len(protocolName))
	return bytes.Equal(b[:n], protocolName[:n])
}

func (r *Response) skipStray(b []byte) []byte {
	if r.stray > 0 && !plausible(b) {
		n := min(r.stray, int64(len(b)))
		r.stray -= n
		return b[n:]
	}
	return b
}

// endHead parses a complete header and decides how the body ends.
func (r *Response) endHead(head []byte, h *Parser) {
	r.stray = 0
	f, fault := h.parse(head, r)
	if fault != rundir.OK {
		r.fail(fault)
		return
	}
	if f.status < 200 && f.status != 101 {
		return // an interim response: the final one follows
	}
	r.status, r.reuse = uint16(f.status), !f.close
	switch {
	case r.expected.Head || f.status == 304:
		r.stage = whole
		r.stray = max(f.length, 0)
	case f.status == 204 || f.status == 101:
		// A length here is a broken promise of a body that may come yet, and
		// after 101 the protocol is another one.
		r.stage = whole
		r.reuse = r.reuse && f.status == 204 && f.length != chunkedLength && f.length <= 0
	case f.length == chunkedLength:
		r.stage = inChunks
		r.chunks = chunks{}
	case f.length == closeLength:
		r.stage, r.reuse = toClose, false
	case f.length > r.limit(h):
		r.fail(rundir.ErrBodyTooLarge)
	case f.length == 0:
		r.stage = whole
	default:
		r.stage, r.left = inLength, f.length
	}
}

// limit is the most bytes a body may have.
func (r *Response) limit(h *Parser) int64 {
	if r.expected.MaxBody > 0 {
		return min(r.expected.MaxBody, h.bodyLimit)
	}
	return h.bodyLimit
}

func (r *Response) feedChunks(b []byte, limit int64) []byte {
	b, state := r.chunks.feed(b, limit-r.body, r)
	switch state {
	case chunksDone:
		r.stage = whole
	case chunksBroken:
		r.fail(rundir.ErrProtocol)
	case chunksTooLarge:
		r.fail(rundir.ErrBodyTooLarge)
	}
	return b
}

// End is called when the peer closed in order. It reports whether that
// completes the response.
func (r *Response) End() bool {
	if r.stage == toClose {
		r.stage = whole
	}
	return r.stage == whole
}

// Forget prepares for the first response of another connection.
func (r *Response) Forget() {
	r.stray = 0
	r.Reset()
}

// Whole reports a complete response.
func (r *Response) Whole() bool { return r.stage == whole }

// Malformed reports one that can never become complete; Outcome says why.
func (r *Response) Malformed() bool { return r.stage == malformed }

// Begun reports whether any byte has come.
func (r *Response) Begun() bool { return r.bytes > 0 }

// Reuse reports whether the connection may carry another request.
func (r *Response) Reuse() bool { return r.reuse }

// Outcome is the class of a response that is whole or malformed.
func (r *Response) Outcome() rundir.Outcome {
	if r.stage == malformed {
		return r.fault
	}
	return r.judge()
}

// Fill sets what a sample says of the response, as far as it came.
func (r *Response) Fill(s *rundir.Sample) {
	s.Status, s.Bytes = r.status, r.bytes
	s.Path, s.Cold, s.Worker = r.marks.path, r.marks.cold, r.marks.worker
	s.QueueWaitNS, s.StartWaitNS, s.ServiceNS = r.marks.queue, r.marks.start, r.marks.service
}
