package response

// A chunkStage is what the next byte of a chunked body belongs to.
type chunkStage uint8

const (
	chunkSize     chunkStage = iota // hexadecimal digits
	chunkIgnored                    // an extension, up to the end of the line
	chunkSizeLF                     // the line feed after a size
	chunkData                       // the data
	chunkDataCR                     // the carriage return after the data
	chunkDataLF                     // the line feed after the data
	chunkTrailer                    // the first byte of a trailer line, or of the end
	chunkTrailing                   // the rest of a trailer line
	chunkEndLF                      // the last byte of all
)

// chunkLine bounds a size line with its extension, and all trailers together, in bytes.
const chunkLine = 16 << 10

// What feed found.
type chunkState uint8

const (
	chunksMore chunkState = iota
	chunksDone
	chunksBroken
	chunksTooLarge
)

// chunks decodes the chunked transfer coding (RFC 9112, section 7.1) one piece
// at a time. Line ends are CR LF and nothing else: a peer that is lax here is
// one whose messages two readers may cut differently.
type chunks struct {
	stage  chunkStage
	digits int8
	left   int64 // of the data of this chunk
	line   int   // bytes of the current line, or of the trailers
}

// feed takes bytes and returns those after the end of the body; the data goes
// to the response. A chunk that says it is longer than the room left is too
// large at once.
func (c *chunks) feed(b []byte, room int64, to *Response) (rest []byte, state chunkState) {
	data := int64(0)
	for len(b) > 0 {
		if c.stage == chunkData {
			n := min(int64(len(b)), c.left)
			to.keep(b[:n])
			to.body += n
			b, data = b[n:], data+n
			if c.left -= n; c.left == 0 {
				c.stage = chunkDataCR
			}
			continue
		}
		x := b[0]
		b = b[1:]
		if state := c.step(x); state != chunksMore {
			return b, state
		}
		if c.stage == chunkData && c.left > room-data {
			return b, chunksTooLarge
		}
	}
	return nil, chunksMore
}

// step takes one byte that is not data.
func (c *chunks) step(x byte) chunkState {
	if c.line++; c.line > chunkLine {
		return chunksBroken
	}
	switch c.stage {
	case chunkSize:
		return c.sizeByte(x)
	case chunkIgnored:
		if x == '\r' {
			c.stage = chunkSizeLF
		} else if x == '\n' {
			return chunksBroken
		}
	case chunkSizeLF:
		return c.expect(x, '\n', c.afterSize())
	case chunkDataCR:
		return c.expect(x, '\r', chunkDataLF)
	case chunkDataLF:
		c.digits, c.line = 0, 0
		return c.expect(x, '\n', chunkSize)
	case chunkTrailer:
		if x == '\r' {
			c.stage = chunkEndLF
		} else {
			c.stage = chunkTrailing
		}
	case chunkTrailing:
		if x == '\n' {
			c.stage = chunkTrailer
		}
	case chunkEndLF:
		if x == '\n' {
			return chunksDone
		}
		return chunksBroken
	}
	return chunksMore
}

func (c *chunks) expect(x, want byte, next chunkStage) chunkState {
	if x != want {
		return chunksBroken
	}
	c.stage = next
	return chunksMore
}

func (c *chunks) afterSize() chunkStage {
	c.line = 0
	if c.left > 0 {
		return chunkData
	}
	return chunkTrailer
}

func (c *chunks) sizeByte(x byte) chunkState {
	digit, ok := hexDigit(x)
	switch {
	case ok:
		// 15 digits stay below 2^60, far above any limit.
		if c.digits++; c.digits > 15 {
			return chunksBroken
		}
		c.left = c.left<<4 | int64(digit)
	case c.digits == 0:
		return chunksBroken
	case x == '\r':
		c.stage = chunkSizeLF
	case x == ';' || x == ' ' || x == '\t':
		c.stage = chunkIgnored
	default:
		return chunksBroken
	}
	return chunksMore
}

func hexDigit(x byte) (byte, bool) {
	switch {
	case x >= '0' && x <= '9':
		return x - '0', true
	case x|0x20 >= 'a' && x|0x20 <= 'f':
		return x | 0x20 - 'a' + 10, true
	}
	return 0, false
}
