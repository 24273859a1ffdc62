package client

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A nameServer answers for every name with the addresses it was last told.
type nameServer struct {
	socket  net.PacketConn
	queries atomic.Int64 // for addresses of IPv4

	mu        sync.Mutex
	addresses []netip.Addr // none: there is no such name
	silent    bool
}

func newNameServer(t *testing.T, addresses ...string) *nameServer {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{socket: socket}
	s.say(addresses...)
	var served sync.WaitGroup
	served.Go(s.serve)
	t.Cleanup(func() {
		socket.Close()
		served.Wait()
	})
	return s
}

func (s *nameServer) address() string { return s.socket.LocalAddr().String() }

func (s *nameServer) say(addresses ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addresses = nil
	for _, a := range addresses {
		s.addresses = append(s.addresses, netip.MustParseAddr(a))
	}
}

func (s *nameServer) serve() {
	message := make([]byte, 1500)
	for {
		n, from, err := s.socket.ReadFrom(message)
		if err != nil {
			return
		}
		if answer := s.answer(message[:n]); answer != nil {
			_, _ = s.socket.WriteTo(answer, from)
		}
	}
}

// answer is a message as in RFC 1035, section 4: header, question, answers.
func (s *nameServer) answer(query []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := 12 + strings.IndexByte(string(query[12:]), 0) + 5 // of the question: name, type, class
	kind := binary.BigEndian.Uint16(query[end-4:])
	if kind == 1 {
		s.queries.Add(1)
	}
	if s.silent {
		return nil
	}
	code, count := uint16(3), uint16(0) // no such name
	var records []byte
	for _, a := range s.addresses {
		code = 0
		if want := map[bool]uint16{true: 1, false: 28}[a.Is4()]; kind != want {
			continue
		}
		count++
		raw := a.AsSlice()
		records = append(records, 0xc0, 12) // the name of the question
		records = binary.BigEndian.AppendUint16(records, kind)
		records = append(records, 0, 1, 0, 0, 0, 1) // class, time to live
		records = binary.BigEndian.AppendUint16(records, uint16(len(raw)))
		records = append(records, raw...)
	}
	b := append([]byte{}, query[:2]...)
	for _, field := range []uint16{0x8180 | code, 1, count, 0, 0} {
		b = binary.BigEndian.AppendUint16(b, field)
	}
	return append(append(b, query[12:end]...), records...)
}
