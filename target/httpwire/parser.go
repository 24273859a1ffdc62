package httpwire

// An Event is what the parser found.
type Event uint8

// Events.
const (
	More Event = iota // the input ends inside a request; call again with more
	Head              // a head is complete and the Request filled
	Body              // Data is the next piece of the body
	End               // the request is complete
	Bad               // the request is refused; Fault says why, and every later call says Bad

	again // internal: input was consumed and there is nothing to tell yet
)

type state uint8

const (
	atStart state = iota // between requests
	inHead
	inLength // in a body of known length
	inChunkSize
	inChunk
	inChunkEnd // before the CRLF after a chunk
	inTrailer
	atEnd
	failed
)

// A Parser cuts a byte stream into requests. It holds no input: Next is given
// what is not yet consumed. The zero value is ready to use with default limits.
type Parser struct {
	limits Limits
	state  state
	ready  bool // limits hold their defaults

	scanned int // input bytes searched for the end of a line already, so that a slow client costs no second search
	line    int // where the unfinished line of a head starts in the input

	blank    int   // bytes of empty lines before the request
	left     int64 // bytes to come of the body or of the chunk
	total    int64 // bytes of a chunked body so far
	overhead int   // bytes of chunk extensions and trailers so far

	facts facts
	data  []byte
	fault *Fault
}

// Reset makes the parser ready for a new connection.
func (p *Parser) Reset(l Limits) { *p = Parser{limits: l.withDefaults(), ready: true} }

// Between reports whether the parser stands between two requests.
func (p *Parser) Between() bool { return p.state == atStart }

// Data is the piece of a Body event; it points into the input of that call.
func (p *Parser) Data() []byte { return p.data }

// Fault says why the parser answered Bad.
func (p *Parser) Fault() *Fault { return p.fault }

// Next looks at in, which starts at the first byte not consumed by earlier
// calls, and returns how many bytes it consumed and what it found. It says More
// only when it cannot go on, so call it until then; events may come without
// any input consumed. The same bytes give the same events wherever the input
// was cut, except that a body may come in other pieces.
func (p *Parser) Next(in []byte, req *Request) (int, Event) {
	n, ev := p.step(in, req)
	for ev == again {
		var more int
		more, ev = p.step(in[n:], req)
		n += more
	}
	return n, ev
}

func (p *Parser) step(in []byte, req *Request) (int, Event) {
	switch p.state {
	case atStart, inHead:
		return p.head(in, req)
	case inLength:
		n, ev := p.take(in)
		if p.left == 0 {
			p.state = atEnd
		}
		return n, ev
	case inChunkSize:
		return p.chunkSize(in)
	case inChunk:
		n, ev := p.take(in)
		if p.left == 0 {
			p.state = inChunkEnd
		}
		return n, ev
	case inChunkEnd:
		return p.chunkEnd(in)
	case inTrailer:
		return p.trailer(in)
	case atEnd:
		p.state = atStart
		return 0, End
	default:
		return len(in), Bad
	}
}

// take yields the part of in that belongs to the body or the chunk.
func (p *Parser) take(in []byte) (int, Event) {
	if len(in) == 0 {
		return 0, More
	}
	n := int(min(int64(len(in)), p.left))
	p.left -= int64(n)
	p.data = in[:n]
	return n, Body
}
