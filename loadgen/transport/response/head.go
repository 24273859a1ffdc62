package response

import (
	"bufio"
	"bytes"
	"net/textproto"

	"github.com/valyala/fasthttp"

	"edgebench/analysis/rundir"
)

// Lengths of a body that are no number of bytes, as fasthttp tells them.
const (
	chunkedLength = -1
	closeLength   = -2 // ends with the connection
)

// framing is what a header says about its message.
type framing struct {
	status int
	length int64 // of the body, or one of the two above
	close  bool  // the connection ends with this response
}

// marks is what a response's header tells about the way it was served.
type marks struct {
	path                          rundir.Path
	cold                          rundir.Mark
	worker, queue, start, service int64
}

// Config is what all responses of a run have in common.
type Config struct {
	HeaderLimit int    // bytes of a header, > 0
	BodyLimit   int64  // bytes of a body, > 0
	ColdHeader  string // names the header that marks a cold start (true or false); empty for none
}

// A Parser parses response headers, one at a time, without allocation: it
// lends fasthttp's parser a reader over the header's bytes. Only whole headers
// are given to it, since it starts over at every piece otherwise.
type Parser struct {
	limit     int
	bodyLimit int64

	header fasthttp.ResponseHeader
	source bytes.Reader
	reader *bufio.Reader

	path, worker, queue, start, service, cold []byte // names, canonical
}

// NewParser makes a parser for the responses of one shard.
func NewParser(c Config) *Parser {
	h := &Parser{
		limit: c.HeaderLimit, bodyLimit: c.BodyLimit,
		path: []byte("X-Path"), worker: []byte("X-Worker-Id"), queue: []byte("X-Queue-Wait-Ns"),
		start: []byte("X-Start-Wait-Ns"), service: []byte("X-Service-Ns"),
	}
	if c.ColdHeader != "" {
		h.cold = []byte(textproto.CanonicalMIMEHeaderKey(c.ColdHeader))
	}
	h.reader = bufio.NewReaderSize(&h.source, c.HeaderLimit)
	return h
}

// parse takes a whole header. A fault other than OK says why it is none.
func (h *Parser) parse(head []byte, r *Response) (framing, rundir.Outcome) {
	if belowHundred(head) {
		return framing{}, rundir.ErrProtocol
	}
	h.source.Reset(head)
	h.reader.Reset(&h.source)
	if err := h.header.Read(h.reader); err != nil {
		return framing{}, rundir.ErrProtocol
	}
	h.mark(&r.marks)
	if e := r.expected; e.InstanceHeader != nil && h.header.StatusCode()/100 == 2 {
		r.marks.cold = e.Instances.Mark(h.header.PeekCanonical(e.InstanceHeader))
	}
	if r.expected.Body != nil || r.expected.Cold != nil {
		r.encoding = string(h.header.ContentEncoding())
	}
	return framing{
		status: h.header.StatusCode(),
		length: int64(h.header.ContentLength()),
		close:  h.header.ConnectionClose(),
	}, rundir.OK
}

// belowHundred reports a status that begins with 0. No such status exists, and
// fasthttp reads 000 as 200.
func belowHundred(head []byte) bool {
	_, status, _ := bytes.Cut(head, []byte(" "))
	return bytes.HasPrefix(bytes.TrimLeft(status[:min(len(status), 16)], " "), []byte("0"))
}

// mark reads the node's own headers. All others of them come with X-Path.
func (h *Parser) mark(m *marks) {
	*m = marks{}
	if h.cold != nil {
		m.cold = ColdMark(h.header.PeekCanonical(h.cold))
	}
	path := h.header.PeekCanonical(h.path)
	if len(path) == 0 {
		return
	}
	m.path = rundir.ParsePath(path)
	m.worker = number(h.header.PeekCanonical(h.worker))
	m.queue = number(h.header.PeekCanonical(h.queue))
	m.start = number(h.header.PeekCanonical(h.start))
	m.service = number(h.header.PeekCanonical(h.service))
}

// ColdMark reads what platforms write for a cold start: true, 1, yes or cold, and
// false, 0, no or warm. Anything else is no mark.
func ColdMark(text []byte) rundir.Mark {
	switch string(text) {
	case "true", "True", "1", "yes", "cold":
		return rundir.MarkYes
	case "false", "False", "0", "no", "warm":
		return rundir.MarkNo
	}
	return rundir.MarkNone
}

// number reads a decimal number of at most 18 digits; anything else is 0.
func number(text []byte) (n int64) {
	if len(text) > 18 {
		return 0
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int64(c-'0')
	}
	return n
}
