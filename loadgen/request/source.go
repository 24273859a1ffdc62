package request

import (
	"strconv"
	"time"

	"edgebench/loadgen/transport"
)

// Sources makes the source of one shard.
func (s *Set) Sources() transport.Source { return &source{set: s} }

// A source makes the requests of one shard.
type source struct {
	set    *Set
	writer writer
	signed map[int32]*signedRequest // those of which only the signature changes
}

// A signedRequest is good for the second it was made in.
type signedRequest struct {
	bytes  []byte
	second int64
}

// Request makes one, or gives the one there is.
func (s *source) Request(t transport.Ticket) transport.Request {
	m := &s.set.messages[t.Function]
	if m.dynamic == nil {
		return m.request
	}
	r := m.request
	if m.dynamic.same {
		r.Bytes = s.resigned(t, m.dynamic)
	} else {
		r.Bytes = s.writer.write(m.dynamic, t, s.set.now)
	}
	return r
}

// resigned signs again when the second is over.
func (s *source) resigned(t transport.Ticket, d *dynamic) []byte {
	kept := s.signed[t.Function]
	if kept == nil {
		if s.signed == nil {
			s.signed = map[int32]*signedRequest{}
		}
		kept = &signedRequest{second: -1 << 63}
		s.signed[t.Function] = kept
	}
	now := s.set.now()
	if second := now.Unix(); second != kept.second {
		at := func() time.Time { return now }
		kept.bytes, kept.second = append(kept.bytes[:0], s.writer.write(d, t, at)...), second
	}
	return kept.bytes
}

// A writer puts requests together in a buffer of its own.
type writer struct {
	whole, body []byte
	generator   generator
}

// write is the request of a ticket, good until the next.
func (w *writer) write(d *dynamic, t transport.Ticket, now func() time.Time) []byte {
	w.generator.begin(d.values.seed, t.Index)
	w.whole = d.head.write(w.whole[:0], &d.values, t.Index, &w.generator)
	w.body = d.body.write(w.body[:0], &d.values, t.Index, &w.generator)
	if d.length {
		w.whole = append(w.whole, "Content-Length: "...)
		w.whole = strconv.AppendInt(w.whole, int64(len(w.body)), 10)
		w.whole = append(w.whole, "\r\n"...)
	}
	if d.signer != nil {
		w.whole = d.signer.sign(w.whole, w.body, now())
	}
	w.whole = append(w.whole, "\r\n"...)
	w.whole = append(w.whole, w.body...)
	return w.whole
}
