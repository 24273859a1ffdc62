package worker

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// A frame is the fixed part of every message. Forked workers read and write it
// in place, so its layout is the wire format (see the package comment).
type frame struct {
	kind  uint32
	flags uint32
	id    uint64
	nanos int64
	body  uint32
	dirty uint32
}

const (
	frameSize   = 32
	messageSize = 64 << 10

	// MaxBody is the largest request body, in bytes.
	MaxBody = messageSize - frameSize
)

// The layout of frame is the wire format: this fails to compile if they part.
var _ [0]struct{} = [unsafe.Sizeof(frame{}) - frameSize]struct{}{}

// Kinds of frames. The numbers are far from zero so that a stray message is
// not taken for a frame.
const (
	kindHello    = 0xed6e0001
	kindRequest  = 0xed6e0002
	kindResponse = 0xed6e0003
)

// Flags of a request.
const flagEcho = 1 // send the body back

// exitProtocol is the status of a worker that received a malformed frame.
const exitProtocol = 3

// A message is a frame and room for the largest body, as a worker holds it.
type message struct {
	frame
	bytes [MaxBody]byte
}

func (f *frame) append(dst []byte) []byte {
	order := binary.NativeEndian
	dst = order.AppendUint32(dst, f.kind)
	dst = order.AppendUint32(dst, f.flags)
	dst = order.AppendUint64(dst, f.id)
	dst = order.AppendUint64(dst, uint64(f.nanos))
	dst = order.AppendUint32(dst, f.body)
	return order.AppendUint32(dst, f.dirty)
}

// parse reads the frame of one whole message and returns the body after it.
func (f *frame) parse(src []byte) (body []byte, err error) {
	if len(src) < frameSize {
		return nil, fmt.Errorf("message of %d bytes, shorter than a frame", len(src))
	}
	order := binary.NativeEndian
	f.kind = order.Uint32(src)
	f.flags = order.Uint32(src[4:])
	f.id = order.Uint64(src[8:])
	f.nanos = int64(order.Uint64(src[16:]))
	f.body = order.Uint32(src[24:])
	f.dirty = order.Uint32(src[28:])
	if body = src[frameSize:]; len(body) != int(f.body) {
		return nil, fmt.Errorf("frame says %d bytes of body, %d follow", f.body, len(body))
	}
	return body, nil
}
