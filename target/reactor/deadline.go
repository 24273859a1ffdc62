package reactor

import "time"

// A deadline is a connection's place in a deadlines list.
type deadline struct {
	conn       *conn
	prev, next *deadline
	at         time.Duration
	list       *deadlines // nil when not set
}

// deadlines hold connections that have the same time to do something. As the
// time is the same for all, the order of setting is the order of expiry: a
// list suffices, set and clear are O(1), and a connection that owes nothing is
// not in it and costs nothing.
type deadlines struct {
	after       time.Duration
	first, last *deadline
}

// set starts the time of d at now, from anew if it was running.
func (l *deadlines) set(d *deadline, now time.Duration) {
	d.clear()
	d.list, d.at, d.prev = l, now+l.after, l.last
	if l.last == nil {
		l.first = d
	} else {
		l.last.next = d
	}
	l.last = d
}

func (d *deadline) running() bool { return d.list != nil }

func (d *deadline) clear() {
	if d.list == nil {
		return
	}
	if d.prev == nil {
		d.list.first = d.next
	} else {
		d.prev.next = d.next
	}
	if d.next == nil {
		d.list.last = d.prev
	} else {
		d.next.prev = d.prev
	}
	d.list, d.prev, d.next = nil, nil, nil
}

// expired takes the first connection whose time is over, or returns nil.
func (l *deadlines) expired(now time.Duration) *conn {
	d := l.first
	if d == nil || d.at > now {
		return nil
	}
	d.clear()
	return d.conn
}
