package reactor

// drain begins the end: whoever got through to the backlog is still let in,
// whatever has arrived is still served, and from then on each connection ends
// with what it has in flight.
func (r *Reactor) drain() {
	if r.draining {
		return
	}
	if r.listener != nil { // a follower has none: what was accepted for it is before this in its inbox
		for r.acceptOne() {
		}
		_ = r.listener.Close()
	}
	for _, c := range r.conns {
		if c.open {
			c.readable = true // worth a try: what arrived just now has its event still to come
			r.pump(c)
		}
	}
	r.draining = true
	for _, c := range r.conns {
		if c.open && !c.ending {
			r.drainConn(c)
		}
	}
	r.AfterFunc(r.config.DrainTimeout, func() { r.cut = true })
	for _, f := range r.followers() {
		f.Post(f.drain)
	}
}

// drainConn lets a connection end with its last request, if that is taken
// already; a request half received is waited for and becomes the last.
func (r *Reactor) drainConn(c *conn) {
	if n := c.queue.len(); n > 0 && c.parser.Between() && len(c.in) == 0 {
		c.last, c.linger = true, true
		c.queue.at(uint32(n - 1)).to.KeepAlive = false
	}
	r.settle(c)
}
