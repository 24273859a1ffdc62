package rundir

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
)

// Cookies of HdrHistogram's second wire format. The low nibble is the word
// size the first format had; the second writes 1 there.
const (
	plainCookie      = 0x1c849303 | 0x10
	compressedCookie = 0x1c849304 | 0x10
)

// A histogramCoder encodes distributions as HdrHistogram does. The library's
// encoder wants a histogram of 270 kB filled first and walks all its counters;
// this one walks those in use, which makes a run of 10,000 phases end in a
// second instead of a minute. The zero value is ready.
type histogramCoder struct {
	plain      []byte
	compressed bytes.Buffer
	zw         *zlib.Writer
	text       []byte
}

// encode returns the text of a line's last field, valid until the next call.
func (c *histogramCoder) encode(d *Distribution) ([]byte, error) {
	c.plain = c.plain[:0]
	c.plain = binary.BigEndian.AppendUint32(c.plain, plainCookie)
	c.plain = binary.BigEndian.AppendUint32(c.plain, 0) // length of the counts, below
	c.plain = binary.BigEndian.AppendUint32(c.plain, 0) // normalizing index offset
	c.plain = binary.BigEndian.AppendUint32(c.plain, digits)
	c.plain = binary.BigEndian.AppendUint64(c.plain, 1)
	c.plain = binary.BigEndian.AppendUint64(c.plain, uint64(DistributionMax))
	c.plain = binary.BigEndian.AppendUint64(c.plain, math.Float64bits(1)) // integer to double ratio
	head := len(c.plain)
	next := 0
	d.each(func(i int, n uint64) bool {
		if zeros := i - next; zeros > 0 {
			c.plain = binary.AppendVarint(c.plain, int64(-zeros)) // a run of zeros is its negative length
		}
		c.plain = binary.AppendVarint(c.plain, int64(n))
		next = i + 1
		return true
	})
	binary.BigEndian.PutUint32(c.plain[4:], uint32(len(c.plain)-head))

	c.compressed.Reset()
	c.compressed.Write(make([]byte, 8)) // cookie and length, below
	if c.zw == nil {
		c.zw = zlib.NewWriter(&c.compressed)
	} else {
		c.zw.Reset(&c.compressed)
	}
	if _, err := c.zw.Write(c.plain); err != nil {
		return nil, err
	}
	if err := c.zw.Close(); err != nil {
		return nil, err
	}
	out := c.compressed.Bytes()
	binary.BigEndian.PutUint32(out, compressedCookie)
	binary.BigEndian.PutUint32(out[4:], uint32(len(out)-8))
	c.text = base64.StdEncoding.AppendEncode(c.text[:0], out)
	return c.text, nil
}
