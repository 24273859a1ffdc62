package net

// entry is a token and the slot it belongs to.
type entry struct {
	slot, tok int32
}

// ring is a queue of tokens that grows by doubling.
type ring struct {
	buf  []entry // its length is a power of two, or 0
	head int32
	n    int32
}

func (r *ring) push(e entry) {
	if int(r.n) == len(r.buf) {
		r.grow()
	}
	r.buf[int(r.head+r.n)&(len(r.buf)-1)] = e
	r.n++
}

func (r *ring) grow() {
	buf := make([]entry, max(8, 2*len(r.buf)))
	for i := range r.n {
		buf[i] = r.buf[int(r.head+i)&(len(r.buf)-1)]
	}
	r.buf, r.head = buf, 0
}

// first removes the oldest token.
func (r *ring) first() entry {
	e := r.buf[r.head]
	r.head = (r.head + 1) & int32(len(r.buf)-1)
	r.n--
	return e
}

// last removes the newest token.
func (r *ring) last() entry {
	r.n--
	return r.buf[int(r.head+r.n)&(len(r.buf)-1)]
}

func (r *ring) clear() { r.head, r.n = 0, 0 }
