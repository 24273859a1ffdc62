package transporttest

import (
	"strings"

	"edgebench/analysis/rundir"
)

// What a server does with the connection after its response.
type ending uint8

const (
	keepsOpen ending = iota
	closes
	resets
)

// A responseCase is one response and what must become of its request. The next
// request must then succeed, on the same connection where reused says so.
type responseCase struct {
	name     string // with the number of the public bug report it comes from, where there is one
	method   string
	response string
	ending   ending
	outcome  rundir.Outcome
	status   uint16
	reused   bool
	together bool // bytes after the response are known as such only when they come with it
}

const okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func responseCases() []responseCase {
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	return []responseCase{
		{name: "plain", response: okResponse, status: 200, reused: true},
		{name: "empty body", response: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", status: 200, reused: true},
		{name: "connection close", response: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", ending: closes, status: 200},
		{name: "http 1.0", response: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", ending: closes, status: 200},
		{name: "http 1.0 keep-alive", response: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", status: 200, reused: true},
		{name: "chunked", response: chunked + "5\r\nhello\r\n10;ext=\"x\"\r\n0123456789abcdef\r\n0\r\n\r\n", status: 200, reused: true},
		{name: "chunked with trailers", response: chunked + "1\r\nx\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n", status: 200, reused: true},
		{name: "chunked, upper case", response: chunked + "A\r\n0123456789\r\n0\r\n\r\n", status: 200, reused: true},
		{name: "C02 chunked, cut before the last chunk", response: chunked + "d0\r\n" + strings.Repeat("x", 208) + "\r\n", ending: closes, outcome: rundir.ErrTruncatedBody, status: 200},
		{name: "chunked, cut inside a chunk", response: chunked + "ff\r\nabc", ending: closes, outcome: rundir.ErrTruncatedBody, status: 200},
		{name: "chunked, size no number", response: chunked + "zz\r\n", outcome: rundir.ErrProtocol, status: 200},
		{name: "length, cut", response: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", ending: closes, outcome: rundir.ErrTruncatedBody, status: 200},
		{name: "header, cut", response: "HTTP/1.1 200 OK\r\nContent-Le", ending: closes, outcome: rundir.ErrTruncatedBody},
		{name: "C03 neither length nor chunked", response: "HTTP/1.1 200 OK\r\nServer: x\r\n\r\nuntil the end", ending: closes, status: 200},
		{name: "C05 HEAD with a length", method: "HEAD", response: "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", status: 200, reused: true},
		{name: "C05 HEAD with a body", method: "HEAD", response: "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world", status: 200, together: true},
		{name: "204", response: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, reused: true},
		{name: "204 with a body", response: "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody", status: 204},
		{name: "304 with a length", response: "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n", outcome: rundir.ErrStatus3xx, status: 304, reused: true},
		{name: "C08 417 to an expectation", response: "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n", outcome: rundir.ErrStatus4xx, status: 417, reused: true},
		{name: "interim responses", response: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + okResponse, status: 200, reused: true},
		{name: "302 is not followed", response: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", outcome: rundir.ErrStatus3xx, status: 302, reused: true},
		{name: "C14 404", response: "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope", outcome: rundir.ErrStatus4xx, status: 404, reused: true},
		{name: "503", response: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", outcome: rundir.ErrStatus5xx, status: 503, reused: true},
		{name: "C10 header of 5 kB", response: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Long: " + strings.Repeat("h", 5000) + "\r\n\r\nok", status: 200, reused: true},
		{name: "C10 header of 70 kB", response: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Long: " + strings.Repeat("h", 70_000) + "\r\n\r\nok", outcome: rundir.ErrHeaderTooLarge},
		{name: "huge length", response: "HTTP/1.1 200 OK\r\nContent-Length: 4611686018427387904\r\n\r\nabc", outcome: rundir.ErrBodyTooLarge, status: 200},
		{name: "C11 another protocol", response: "SSH-2.0-OpenSSH_9.6\r\n", outcome: rundir.ErrProtocol},
		{name: "C11 TLS alert", response: "\x15\x03\x01\x00\x02\x02\x46", outcome: rundir.ErrProtocol},
		{name: "two lengths", response: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", outcome: rundir.ErrProtocol},
		{name: "status is no number", response: "HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nok", outcome: rundir.ErrProtocol},
		{name: "closed without a byte", ending: closes, outcome: rundir.ErrReset},
		{name: "reset without a byte", ending: resets, outcome: rundir.ErrReset},
		{name: "garbage after the response", response: okResponse + "HTTP/1.1 200 OK\r\n", status: 200, together: true},
		{name: "an uncalled-for response after the response", response: okResponse + "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", status: 200, together: true},
	}
}
