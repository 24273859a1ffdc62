package httpwire

import "bytes"

// head parses the request line and the headers, each line as it completes.
// The lines stay in the input until the last, so that a Request can point at
// them; a limit is told by position, hence independent of how input arrives.
func (p *Parser) head(in []byte, req *Request) (int, Event) {
	skipped := 0
	if p.state == atStart {
		var ev Event
		if skipped, ev = p.begin(in); ev != Head {
			return skipped, ev
		}
		in = in[skipped:]
	}
	for {
		end := bytes.IndexByte(in[p.scanned:], '\n') + p.scanned
		if end < p.scanned {
			end = len(in)
		}
		if end >= p.limits.Head {
			if p.line == 0 {
				return skipped, p.refuse(414, "request line above %d bytes", p.limits.Head)
			}
			return skipped, p.refuse(431, "request head above %d bytes", p.limits.Head)
		}
		if end == len(in) {
			p.scanned = end
			return skipped, More
		}
		line, ok := chomp(in[p.line:end])
		if !ok {
			return skipped, p.refuse(400, "line %s ends in a bare LF", excerpt(line))
		}
		first := p.line == 0
		p.scanned, p.line = end+1, end+1
		switch {
		case first:
			req.end = end + 1
			if p.requestLine(line, req) == Bad {
				return skipped, Bad
			}
		case len(line) > 0:
			if p.headerLine(line) == Bad {
				return skipped, Bad
			}
		default:
			req.raw = in[:end+1]
			return skipped + end + 1, p.frame(req)
		}
	}
}

// begin skips empty lines and looks at the first byte of a request: what
// cannot be a method, such as a TLS greeting, is refused without waiting for a
// line that may never end. Head means that a request has begun.
func (p *Parser) begin(in []byte) (int, Event) {
	if !p.ready {
		p.Reset(p.limits)
	}
	n := 0
	for len(in) > n && in[n] == '\r' {
		if len(in) == n+1 {
			return n, More
		}
		if in[n+1] != '\n' {
			return n, p.refuse(400, "a bare CR before the request line")
		}
		n += 2
		if p.blank += 2; p.blank > p.limits.Head {
			return n, p.refuse(400, "more than %d bytes of empty lines before the request line", p.limits.Head)
		}
	}
	if len(in) == n {
		return n, More
	}
	if !isTokenByte(in[n]) {
		return n, p.refuse(400, "a request cannot start with byte %q", in[n:n+1])
	}
	p.state = inHead
	p.scanned, p.line, p.blank = 0, 0, 0
	p.facts = facts{length: -1}
	return n, Head
}

// chomp takes the CR off a line whose LF is already gone.
func chomp(line []byte) ([]byte, bool) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1], true
	}
	return line, false
}

func (p *Parser) requestLine(line []byte, req *Request) Event {
	m := bytes.IndexByte(line, ' ')
	t := bytes.LastIndexByte(line, ' ')
	if m < 0 || m == t {
		return p.refuse(400, "request line %s is not method, target and version", excerpt(line))
	}
	if !isToken(line[:m]) {
		return p.refuse(400, "method %s is not a token", excerpt(line[:m]))
	}
	if !isTarget(line[m+1 : t]) {
		return p.refuse(400, "request target %s is empty or has a space or a control character", excerpt(line[m+1:t]))
	}
	minor, ev := p.version(line[t+1:])
	if ev == Bad {
		return Bad
	}
	req.method, req.target, req.Minor = m, t, minor
	return Head
}

func (p *Parser) version(v []byte) (uint8, Event) {
	if string(v) == "HTTP/1.1" {
		return 1, Head
	}
	if string(v) == "HTTP/1.0" {
		return 0, Head
	}
	if len(v) == len("HTTP/x.x") && string(v[:5]) == "HTTP/" && isDigit(v[5]) && v[6] == '.' && isDigit(v[7]) {
		return 0, p.refuse(505, "version %s, known are HTTP/1.0 and HTTP/1.1", excerpt(v))
	}
	return 0, p.refuse(400, "version %s is not HTTP/1.x", excerpt(v))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// field cuts a header or trailer line, checked.
func (p *Parser) field(line []byte) (name, value []byte, ev Event) {
	if line[0] == ' ' || line[0] == '\t' {
		return nil, nil, p.refuse(400, "header line %s is folded", excerpt(line))
	}
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		return nil, nil, p.refuse(400, "header line %s has no colon", excerpt(line))
	}
	if name = line[:colon]; !isToken(name) {
		return nil, nil, p.refuse(400, "header name %s is not a token", excerpt(name))
	}
	if value = trimSpace(line[colon+1:]); !isText(value) {
		return nil, nil, p.refuse(400, "value %s of header %s has a control character", excerpt(value), excerpt(name))
	}
	return name, value, Head
}
