package reactor

import (
	"golang.org/x/sys/unix"

	"edgebench/target/epoll"
)

// finish ends a connection whose last response is with the kernel. Closing a
// socket with unread input resets the connection, and the reset may overtake
// the response at the client: so where the client may still be sending, only
// our side is shut, and the rest is read and discarded until the client closes
// or its time is over.
func (r *Reactor) finish(c *conn) {
	if c.eof || !c.linger && !c.readable && len(c.in) == 0 {
		r.close(c)
		return
	}
	if unix.Shutdown(c.fd, unix.SHUT_WR) != nil {
		r.close(c)
		return
	}
	c.ending = true
	r.releaseInput(c)
	r.reading.set(&c.reading, r.now)
	r.discard(c)
}

// close drops a connection to which nothing is owed.
func (r *Reactor) close(c *conn) {
	c.ending = true
	r.drop(c)
}

func (r *Reactor) discard(c *conn) {
	for range turnsPerPump {
		if !c.readable {
			return
		}
		n, err := epoll.Receive(c.fd, r.shared)
		switch {
		case err == unix.EAGAIN:
			c.readable = false
		case err != nil || n == 0:
			r.close(c)
			return
		}
	}
	r.pumpLater(c)
}
