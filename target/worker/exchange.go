package worker

import (
	"fmt"
	"time"
)

// An exchange makes requests into messages and takes answers apart. It is the
// node's side of the protocol, whoever moves the bytes.
type exchange struct {
	buf []byte // a request, then its answer, which is never longer
	id  uint64 // of the last request
}

// request returns the next request's message, valid until the answer is read.
func (x *exchange) request(r Request) []byte {
	x.id++
	f := frame{kind: kindRequest, id: x.id, nanos: int64(r.Service), body: uint32(len(r.Body)), dirty: uint32(r.Dirty)}
	if r.Echo {
		f.flags |= flagEcho
	}
	x.buf = append(f.append(x.buf[:0]), r.Body...)
	return x.buf
}

// response checks that a message answers the last request.
func (x *exchange) response(message []byte) (Result, error) {
	var f frame
	body, err := f.parse(message)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	if f.kind != kindResponse || f.id != x.id {
		return Result{}, fmt.Errorf("%w: kind %#x for request %d while %d was asked", ErrProtocol, f.kind, f.id, x.id)
	}
	return Result{Service: time.Duration(f.nanos), Body: body}, nil
}
