package httpwire

import "bytes"

// facts are what the headers say about the connection and the body.
type facts struct {
	hosts            int
	length           int64 // Content-Length, -1 without one
	chunked          bool
	close, keepAlive bool // tokens of Connection
	expect           bool
}

// headerLine notes the few headers that framing depends on.
func (p *Parser) headerLine(line []byte) Event {
	name, value, ev := p.field(line)
	if ev == Bad {
		return Bad
	}
	f := &p.facts
	switch {
	case equalFold(name, "host"):
		f.hosts++
	case equalFold(name, "connection"):
		f.connection(value)
	case equalFold(name, "content-length"):
		return p.contentLength(value)
	case equalFold(name, "transfer-encoding"):
		if !equalFold(value, "chunked") {
			return p.refuse(501, "transfer coding %s, known is chunked", excerpt(value))
		}
		if f.chunked {
			return p.refuse(400, "Transfer-Encoding is repeated")
		}
		f.chunked = true
	case equalFold(name, "expect"):
		if !equalFold(value, "100-continue") {
			return p.refuse(417, "expectation %s, known is 100-continue", excerpt(value))
		}
		f.expect = true
	}
	return Head
}

func (f *facts) connection(value []byte) {
	for len(value) > 0 {
		token := value
		if i := bytes.IndexByte(value, ','); i >= 0 {
			token, value = value[:i], value[i+1:]
		} else {
			value = nil
		}
		switch token = trimSpace(token); {
		case equalFold(token, "close"):
			f.close = true
		case equalFold(token, "keep-alive"):
			f.keepAlive = true
		}
	}
}

func (p *Parser) contentLength(value []byte) Event {
	if p.facts.length >= 0 {
		return p.refuse(400, "Content-Length is repeated")
	}
	var n int64
	for _, c := range value {
		if !isDigit(c) {
			return p.refuse(400, "Content-Length %s is not a number", excerpt(value))
		}
		if n = n*10 + int64(c-'0'); n > p.limits.Body {
			// Stop before the number can overflow, but only on digits.
			if bytes.IndexFunc(value, func(r rune) bool { return r < '0' || r > '9' }) >= 0 {
				return p.refuse(400, "Content-Length %s is not a number", excerpt(value))
			}
			return p.refuse(413, "Content-Length %s above the limit of %d bytes", excerpt(value), p.limits.Body)
		}
	}
	if len(value) == 0 {
		return p.refuse(400, "Content-Length is empty")
	}
	p.facts.length = n
	return Head
}

// frame decides at the end of a head how the body is delimited.
func (p *Parser) frame(req *Request) Event {
	f := &p.facts
	switch {
	case f.hosts > 1:
		return p.refuse(400, "Host is repeated")
	case f.hosts == 0 && req.Minor >= 1:
		return p.refuse(400, "Host is missing")
	case f.chunked && f.length >= 0:
		return p.refuse(400, "both Content-Length and Transfer-Encoding")
	case f.chunked && req.Minor == 0:
		return p.refuse(400, "Transfer-Encoding in HTTP/1.0")
	}
	// HTTP/1.1 stays open unless told otherwise, HTTP/1.0 only when told so;
	// close outweighs keep-alive (RFC 9112, section 9.3).
	req.KeepAlive = !f.close && (req.Minor >= 1 || f.keepAlive)
	req.Body = nil
	p.scanned, p.line = 0, 0
	switch {
	case f.chunked:
		req.Length = -1
		p.state, p.total, p.overhead = inChunkSize, 0, 0
	case f.length > 0:
		req.Length = f.length
		p.state, p.left = inLength, f.length
	default:
		req.Length = 0
		p.state = atEnd
	}
	req.ExpectContinue = f.expect && req.Minor >= 1 && req.HasBody()
	return Head
}
