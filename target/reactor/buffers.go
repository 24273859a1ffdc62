package reactor

// buffers are lent to connections that have bytes to keep and come back when
// they have none: an idle connection holds no buffer. The last one back goes
// out first, being warm in the cache.
type buffers struct {
	free [][]byte
}

const (
	smallBuffer = 4 << 10
	keepBuffer  = 64 << 10 // larger ones go to the collector
	keepBuffers = 256
)

func (b *buffers) take() []byte {
	if n := len(b.free); n > 0 {
		buf := b.free[n-1]
		b.free[n-1] = nil
		b.free = b.free[:n-1]
		return buf
	}
	return make([]byte, 0, smallBuffer)
}

func (b *buffers) give(buf []byte) {
	if cap(buf) > 0 && cap(buf) <= keepBuffer && len(b.free) < keepBuffers {
		b.free = append(b.free, buf[:0])
	}
}
