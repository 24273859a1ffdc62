package reactor

import "edgebench/target/httpwire"

// headDone prepares for the body, if one follows.
func (r *Reactor) headDone(c *conn) {
	if !c.req.HasBody() {
		return
	}
	c.head = c.req.Own(c.head)
	c.body = c.body[:0]
	c.expects = c.req.ExpectContinue && len(c.in) == 0 // a body that came along needs no leave
	r.allowBody(c)
}

// allowBody sends 100 Continue when it is the request's turn to be answered.
func (r *Reactor) allowBody(c *conn) {
	if c.expects && c.queue.len() == 0 {
		c.expects = false
		r.makeRoom(c)
		c.out = append(c.out, httpwire.Continue...)
	}
}

// serve gives a complete request to the handler.
func (r *Reactor) serve(c *conn) {
	r.counters.requests.Add(1)
	c.reading.clear() // the next request has a time of its own
	c.expects = false
	c.req.Body = nil
	if c.req.HasBody() {
		c.req.Body = c.body
	}
	ticket := Ticket{r.loopID, c.slot, c.generation, c.next}
	c.next++
	response, later := r.handler.Serve(&c.req, ticket)
	to := c.req.Reply()
	if r.draining {
		to.KeepAlive = false
		c.linger = true // it is our wish, the client may have sent more
	}
	c.last = !to.KeepAlive
	if later {
		c.queue.push(pending{to: to})
	} else {
		r.respond(c, to, &response)
	}
	if cap(c.body) > keepBuffer {
		c.body = nil
	}
}

// fault answers a request that cannot be served, after those before it, and
// ends the connection: where the next request would start is not known.
func (r *Reactor) fault(c *conn, f *httpwire.Fault) {
	c.last, c.linger, c.expects = true, true, false
	c.in = nil
	c.next++
	r.respond(c, httpwire.Reply{Minor: 1}, &httpwire.Response{
		Status: f.Status, Type: "text/plain; charset=utf-8", Body: []byte(f.Text + "\n"), Close: true,
	})
}

// tooSlow answers 408, or gives up a client that does not end its sending
// after its last response.
func (r *Reactor) tooSlow(c *conn) {
	if c.ending {
		r.drop(c)
		return
	}
	r.counters.timedOut.Add(1)
	r.fault(c, &httpwire.Fault{Status: 408, Text: "request not finished within " + r.config.RequestTimeout.String()})
	r.pump(c)
}

// respond writes a response to a request not in the queue yet.
func (r *Reactor) respond(c *conn, to httpwire.Reply, response *httpwire.Response) {
	if c.queue.len() == 0 {
		r.makeRoom(c)
		c.out = response.Append(c.out, to, r.dateHeader())
		r.written(c, to, response.Close)
		return
	}
	c.queue.push(pending{})
	p := c.queue.at(uint32(c.queue.len() - 1))
	p.to = to
	r.hold(c, p, response)
}

// answer takes the answer to a ticket.
func (r *Reactor) answer(t Ticket, response *httpwire.Response) {
	if int(t.slot) >= len(r.conns) {
		r.counters.stale.Add(1)
		return
	}
	c := r.conns[t.slot]
	i := t.sequence - (c.next - uint32(c.queue.len()))
	if !c.open || c.generation != t.generation || i >= uint32(c.queue.len()) || c.queue.at(i).ready {
		r.counters.stale.Add(1)
		return
	}
	if i > 0 {
		r.hold(c, c.queue.at(i), response)
		return
	}
	p := c.queue.pop()
	r.makeRoom(c)
	c.out = response.Append(c.out, p.to, r.dateHeader())
	r.written(c, p.to, response.Close)
	r.release(c)
	r.pumpLater(c)
}

// hold keeps a response until those before it are written.
func (r *Reactor) hold(c *conn, p *pending, response *httpwire.Response) {
	p.out = response.Append(r.buffers.take(), p.to, r.dateHeader())
	p.ready, p.close = true, response.Close
	c.held += len(p.out)
}

// release writes the responses that are no longer held up.
func (r *Reactor) release(c *conn) {
	for !c.closing && c.queue.len() > 0 && c.queue.at(0).ready {
		p := c.queue.pop()
		c.held -= len(p.out)
		r.makeRoom(c)
		c.out = append(c.out, p.out...)
		r.buffers.give(p.out)
		r.written(c, p.to, p.close)
	}
	r.allowBody(c)
}

// written notes what a response means for the connection. A handler that
// closes it leaves the requests behind without an answer.
func (r *Reactor) written(c *conn, to httpwire.Reply, byHandler bool) {
	if to.KeepAlive && !byHandler {
		return
	}
	c.linger = c.linger || to.KeepAlive
	c.last, c.closing = true, true
	r.abandon(c)
}

// makeRoom readies out for another response; what was sent is overwritten once
// it is the larger part.
func (r *Reactor) makeRoom(c *conn) {
	if c.out == nil {
		c.out = r.buffers.take()
	}
	if c.sent > c.unsent() {
		c.out = c.out[:copy(c.out, c.out[c.sent:])]
		c.sent = 0
	}
}
