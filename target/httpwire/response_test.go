package httpwire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"
)

func TestResponseBytes(t *testing.T) {
	t.Parallel()
	alive := Reply{Minor: 1, KeepAlive: true}
	date := AppendDate(nil, time.Unix(784111777, 0))
	for _, c := range []struct {
		name string
		r    Response
		to   Reply
		want string
	}{
		{"plain", Response{Type: "text/plain", Body: []byte("pong")}, alive,
			"HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\npong"},
		{"close", Response{Status: 503, Close: true}, alive,
			"HTTP/1.1 503 Service Unavailable\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"},
		{"old kept", Response{}, Reply{KeepAlive: true},
			"HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n"},
		{"head", Response{Body: []byte("pong")}, Reply{Minor: 1, KeepAlive: true, Head: true},
			"HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 4\r\n\r\n"},
		{"no content", Response{Status: 204, Body: []byte("dropped")}, alive,
			"HTTP/1.1 204 No Content\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"},
		{"out of range", Response{Status: 100}, alive,
			"HTTP/1.1 500 Internal Server Error\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n"},
		{"unnamed", Response{Status: 499}, alive,
			"HTTP/1.1 499 Client Error\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n"},
	} {
		if got := string(c.r.Append(nil, c.to, date)); got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

// net/http reads what we write, and no value can add a header.
func TestResponseIsReadByNetHTTP(t *testing.T) {
	t.Parallel()
	header := AppendHeader(nil, "X-Path", "warm\r\nX-Evil: 1")
	header = AppendHeaderInt(header, "X-Wait-Ns", -5)
	r := Response{Status: 502, Type: "text/plain", Header: header, Body: []byte("worker died")}
	raw := r.Append(nil, Reply{Minor: 1}, AppendDate(nil, time.Now()))
	got, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(got.Body)
	got.Body.Close()
	if err != nil || string(body) != "worker died" {
		t.Fatalf("body %q, %v", body, err)
	}
	if got.StatusCode != 502 || !got.Close || got.Header.Get("X-Path") != "warm  X-Evil: 1" ||
		got.Header.Get("X-Evil") != "" || got.Header.Get("X-Wait-Ns") != "-5" || got.Header.Get("Date") == "" {
		t.Errorf("%+v", got)
	}
}

func TestStatusTexts(t *testing.T) {
	t.Parallel()
	for status := 200; status < 600; status++ {
		want := http.StatusText(status)
		switch status { // RFC 9110's phrases, net/http keeps older ones
		case 413:
			want = "Content Too Large"
		case 414:
			want = "URI Too Long"
		}
		if got := StatusText(status); got != want && got != classText(status) {
			t.Errorf("%d: %q, want %q or the class", status, got, want)
		}
	}
}
