package httpwire

import "bytes"

// maxSizeDigits bounds the hexadecimal digits of a chunk size, leading zeros
// included; the value is held to the body limit.
const maxSizeDigits = 16

// nextLine finds a whole line of chunked framing in in. Extensions and trailers
// of one body share one budget, so that framing cannot outweigh content.
func (p *Parser) nextLine(in []byte, what string) (line []byte, n int, ev Event) {
	end := bytes.IndexByte(in[p.scanned:], '\n') + p.scanned
	if end < p.scanned {
		end = len(in)
	}
	if end-maxSizeDigits > p.limits.Head-p.overhead {
		return nil, 0, p.refuse(431, "%s of a chunked body above %d bytes", what, p.limits.Head)
	}
	if end == len(in) {
		p.scanned = end
		return nil, 0, More
	}
	p.scanned = 0
	line, ok := chomp(in[:end])
	if !ok {
		return nil, 0, p.refuse(400, "%s line %s ends in a bare LF", what, excerpt(line))
	}
	return line, end + 1, Head
}

func (p *Parser) chunkSize(in []byte) (int, Event) {
	line, n, ev := p.nextLine(in, "chunk extensions")
	if ev != Head {
		return 0, ev
	}
	digits, size := 0, int64(0)
	for digits < len(line) && digits < maxSizeDigits {
		d, ok := hexDigit(line[digits])
		if !ok {
			break
		}
		digits++
		if size = size<<4 | d; size < 0 || size > p.limits.Body {
			size = p.limits.Body + 1 // enough to be refused, and safe from overflow
		}
	}
	if digits == 0 {
		return 0, p.refuse(400, "chunk size line %s does not start with a size", excerpt(line))
	}
	extension := line[digits:]
	if len(extension) > 0 && extension[0] != ';' || !isText(extension) {
		return 0, p.refuse(400, "chunk size line %s is not a size and extensions", excerpt(line))
	}
	p.overhead += len(extension)
	if p.total+size > p.limits.Body {
		return 0, p.refuse(413, "chunked body above the limit of %d bytes", p.limits.Body)
	}
	if size == 0 {
		p.state = inTrailer
		return n, again
	}
	p.total += size
	p.left = size
	p.state = inChunk
	return n, again
}

// chunkEnd expects the CRLF after a chunk.
func (p *Parser) chunkEnd(in []byte) (int, Event) {
	if len(in) > 0 && in[0] != '\r' || len(in) > 1 && in[1] != '\n' {
		return 0, p.refuse(400, "chunk is longer than its size")
	}
	if len(in) < 2 {
		return 0, More
	}
	p.state = inChunkSize
	return 2, again
}

// trailer checks and drops one trailer line; the empty one ends the request.
func (p *Parser) trailer(in []byte) (int, Event) {
	line, n, ev := p.nextLine(in, "trailers")
	if ev != Head {
		return 0, ev
	}
	if len(line) == 0 {
		p.state = atStart
		return n, End
	}
	p.overhead += n
	if _, _, ev := p.field(line); ev == Bad {
		return 0, Bad
	}
	return n, again
}

func hexDigit(c byte) (int64, bool) {
	switch {
	case '0' <= c && c <= '9':
		return int64(c - '0'), true
	case 'a' <= c && c <= 'f':
		return int64(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return int64(c-'A') + 10, true
	}
	return 0, false
}
