package httpwire

import (
	"fmt"
	"strings"
)

// transcript feeds in to a parser, cut as next says, the way a connection does
// it: what was not consumed comes again with more behind it. It tells every
// request and how the stream ended.
func transcript(in []byte, limits Limits, next func(left int) int) string {
	var (
		p       Parser
		req     Request
		out     strings.Builder
		pending []byte
		body    []byte
		head    []byte
	)
	p.Reset(limits)
	for len(in) > 0 {
		n := next(len(in))
		pending, in = append(pending, in[:n]...), in[n:]
		for {
			n, ev := p.Next(pending, &req)
			switch ev {
			case Head:
				head, body = req.Own(head), body[:0]
			case Body:
				body = append(body, p.Data()...)
			case End:
				tell(&out, &req, body)
			case Bad:
				fmt.Fprintf(&out, "bad %v\n", p.Fault())
				return out.String()
			}
			pending = pending[n:]
			if ev == More {
				break
			}
		}
	}
	fmt.Fprintf(&out, "more between=%v\n", p.Between())
	return out.String()
}

func tell(out *strings.Builder, req *Request, body []byte) {
	fmt.Fprintf(out, "%s %s 1.%d keep=%v expect=%v", req.Method(), req.Target(), req.Minor, req.KeepAlive, req.ExpectContinue)
	for name, value := range req.Headers() {
		fmt.Fprintf(out, " [%s=%s]", name, value)
	}
	if req.HasBody() {
		fmt.Fprintf(out, " body %q", body)
	}
	out.WriteByte('\n')
}

func whole(left int) int { return left }

func each(size int) func(int) int { return func(left int) int { return min(size, left) } }
