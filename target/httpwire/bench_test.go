package httpwire

import "testing"

var heads = map[string]string{
	"ping":    "GET /ping HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
	"browser": "GET /ping HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\nAccept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\nConnection: keep-alive\r\nCookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\r\n",
	"chunked": chunkedHead + "5\r\nhello\r\n0\r\n\r\n",
}

func parseAll(p *Parser, in []byte, req *Request) bool {
	for {
		n, ev := p.Next(in, req)
		in = in[n:]
		if ev == More || ev == Bad {
			return ev == More && p.Between()
		}
	}
}

func TestParsingAllocatesNothing(t *testing.T) {
	for name, head := range heads {
		var p Parser
		var req Request
		in := []byte(head)
		if n := testing.AllocsPerRun(100, func() { parseAll(&p, in, &req) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestWritingAllocatesNothing(t *testing.T) {
	r := Response{Type: "text/plain", Body: []byte("pong")}
	dst := make([]byte, 0, 512)
	if n := testing.AllocsPerRun(100, func() { dst = r.Append(dst[:0], Reply{Minor: 1}, nil) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkParse(b *testing.B) {
	for name, head := range heads {
		b.Run(name, func(b *testing.B) {
			var p Parser
			var req Request
			in := []byte(head)
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if !parseAll(&p, in, &req) {
					b.Fatal(p.Fault())
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	r := Response{Type: "text/plain", Body: []byte("pong")}
	dst := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		dst = r.Append(dst[:0], Reply{Minor: 1, KeepAlive: true}, nil)
	}
}
