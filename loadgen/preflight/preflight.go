// Package preflight takes one look at a target before a run, so that a port that
// speaks something else is named at once and not after minutes of read errors.
// It makes one connection, or a second when the peer hangs up on the first,
// listens whether the peer speaks first, and sends at most one request: OPTIONS *,
// which asks a server and calls nothing (RFC 9110, 9.3.7). That is no part of
// the load and of no count.
//
// It refuses only what it recognised. A peer that stays silent, answers late or
// hangs up may be one that will do, and the run finds out.
package preflight

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// A Target says whom to look at.
type Target struct {
	Dial func(context.Context) (net.Conn, error) // makes the one connection
	URL  string                                  // as people wrote it, without secrets; for errors
	Host string                                  // of the Host header

	TLS        bool   // the url is https
	ServerName string // of the TLS handshake
}

// Bounds of the look in time. Peers that speak first do so when the connection
// is accepted; a tenth of a second is some round trips.
const (
	greetingWait = 100 * time.Millisecond
	answerWait   = 2 * time.Second
)

// ErrProtocol is wrapped by errors about a peer that does not speak what the
// url says.
var ErrProtocol = errors.New("the target speaks another protocol")

// Look takes the look. The error wraps ErrProtocol, or is that of the connect.
func Look(ctx context.Context, t Target) error {
	ctx, cancel := context.WithTimeout(ctx, 2*answerWait)
	defer cancel()
	conn, err := t.connect(ctx, "http/1.1")
	if conn == nil {
		return err
	}
	defer conn.Close()
	first, spoke := []byte(nil), false
	if !t.TLS {
		first, spoke = read(conn, greetingWait)
	}
	if !spoke {
		fmt.Fprintf(conn, "OPTIONS * HTTP/1.1\r\nHost: %s\r\nUser-Agent: loadgen-preflight\r\nConnection: close\r\n\r\n", t.Host)
		if first, spoke = read(conn, answerWait); !spoke && t.speaksHTTP2(ctx) {
			return t.fault("HTTP/2 without HTTP/1.1, and loadgen speaks only that")
		}
		if bytes.HasPrefix(first, []byte("HTTP/1.")) && bytes.Contains(first, []byte(" 400 ")) {
			why, _ := read(conn, greetingWait) // the text may come by itself
			first = append(first, why...)
		}
	}
	return t.judge(first)
}

// connect makes a connection, and shakes hands where the url is https. Without
// either there may be nothing to say against the target: then both are nil.
// Whether its certificate will do is the run's own question.
func (t Target) connect(ctx context.Context, speak string) (net.Conn, error) {
	conn, err := t.Dial(ctx)
	if err != nil {
		return nil, err
	}
	if !t.TLS {
		return conn, nil
	}
	secure := tls.Client(conn, &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: true, NextProtos: []string{speak}})
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, t.shaken(err)
	}
	return secure, nil
}

// shaken names a peer with which no handshake came about.
func (t Target) shaken(err error) error {
	var notTLS tls.RecordHeaderError
	switch {
	case errors.As(err, &notTLS):
		first := notTLS.RecordHeader[:]
		if name := named(first); name != "" && name != "TLS" {
			return t.fault(name + ", it begins with " + quoted(first))
		}
		if bytes.HasPrefix(first, []byte("HTTP/")) {
			return t.fault("plain HTTP: write http:// in the url")
		}
		return t.fault("no TLS, it begins with " + quoted(first))
	case strings.Contains(err.Error(), "no application protocol"):
		return t.fault("TLS, but no HTTP/1.1 over it, and loadgen speaks only that")
	}
	return nil
}

// preface begins an HTTP/2 connection, with no setting (RFC 9113, 3.4).
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// speaksHTTP2 asks a peer that hung up on HTTP/1.1, on a second connection and
// without a request.
func (t Target) speaksHTTP2(ctx context.Context) bool {
	conn, _ := t.connect(ctx, "h2")
	if conn == nil {
		return false
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(preface)); err != nil {
		return false
	}
	first, _ := read(conn, greetingWait)
	return settings(first)
}

// judge names what the first bytes are of.
func (t Target) judge(first []byte) error {
	switch {
	case toldOfTLS(first):
		return t.fault("TLS: write https:// in the url")
	case bytes.HasPrefix(first, []byte("HTTP/1.")):
		return nil
	}
	switch name := named(first); name {
	case "":
		return nil
	case "TLS":
		return t.fault("TLS: write https:// in the url")
	default:
		return t.fault(name + ", it begins with " + quoted(first))
	}
}

// toldOfTLS: Go, nginx and Apache answer a plain request on a TLS port in plain
// text, and say so.
func toldOfTLS(first []byte) bool {
	for _, text := range []string{
		"client sent an http request to an https server", "the plain http request was sent to https port",
		"speaking plain http to an ssl-enabled server port",
	} {
		if strings.Contains(strings.ToLower(string(first)), text) {
			return true
		}
	}
	return false
}

func (t Target) fault(what string) error {
	return fmt.Errorf("%w: %s answers with %s", ErrProtocol, t.URL, what)
}

// read returns what comes first within the time, and whether anything did.
func read(conn net.Conn, wait time.Duration) ([]byte, bool) {
	_ = conn.SetReadDeadline(time.Now().Add(wait))
	first := make([]byte, 512)
	n, _ := conn.Read(first)
	return first[:n], n > 0
}

// quoted shows what a peer began with, on one line.
func quoted(first []byte) string {
	line, _, _ := bytes.Cut(first, []byte("\n"))
	return fmt.Sprintf("%.60q", bytes.TrimRight(line, "\r"))
}
