package preflight

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// A protocol is one that is not HTTP/1.1, told by the first bytes of its peer.
type protocol struct {
	name string
	is   func(first []byte) bool
}

// prefix recognises texts that begin so, in any case.
func prefix(texts ...string) func([]byte) bool {
	return func(first []byte) bool {
		for _, text := range texts {
			if len(first) >= len(text) && strings.EqualFold(string(first[:len(text)]), text) {
				return true
			}
		}
		return false
	}
}

// protocols in order: the first that fits names the peer. A server's greeting
// of three digits is that of FTP and SMTP alike; their texts tell them apart.
var protocols = []protocol{
	{"SSH", prefix("SSH-")},
	{"TLS", tlsRecord},
	{"HTTP/2 without HTTP/1.1", settings},
	{"SMTP", greeting("220", "SMTP", "ESMTP")},
	{"FTP", greeting("220", "FTP")},
	{"SMTP or FTP", prefix("220 ", "220-", "421 ", "554 ")},
	{"IMAP", prefix("* OK")},
	{"POP3", prefix("+OK")},
	{"Redis", prefix("-ERR ", "-NOAUTH", "-DENIED", "-MISCONF")},
	{"MySQL", mysql},
	{"VNC", prefix("RFB 0")},
	{"memcached", prefix("ERROR\r\n")},
}

// tlsRecord: an alert (21) or handshake (22) record of TLS 1.x (RFC 8446, 5.1).
func tlsRecord(first []byte) bool {
	return len(first) >= 3 && (first[0] == 21 || first[0] == 22) && first[1] == 3 && first[2] <= 4
}

// settings: a SETTINGS frame on stream 0 comes first from every HTTP/2 server
// (RFC 9113, 3.4); its settings have six bytes each.
func settings(first []byte) bool {
	if len(first) < 9 {
		return false
	}
	length := int(first[0])<<16 | int(first[1])<<8 | int(first[2])
	stream := binary.BigEndian.Uint32(first[5:9])
	return length%6 == 0 && length < 1<<10 && first[3] == 4 && first[4] == 0 && stream == 0
}

// greeting recognises a reply of that code whose line holds one of the words.
func greeting(code string, words ...string) func([]byte) bool {
	return func(first []byte) bool {
		line, _, _ := bytes.Cut(first, []byte("\n"))
		if !bytes.HasPrefix(line, []byte(code)) {
			return false
		}
		upper := bytes.ToUpper(line)
		for _, word := range words {
			if bytes.Contains(upper, []byte(word)) {
				return true
			}
		}
		return false
	}
}

// mysql: a packet of sequence 0 with protocol version 10 and a version text, or
// with an error that says why there is no greeting.
func mysql(first []byte) bool {
	if len(first) < 6 || first[3] != 0 {
		return false
	}
	length := int(first[0]) | int(first[1])<<8 | int(first[2])<<16
	if length < 5 || length > 1<<10 {
		return false
	}
	return first[4] == 10 && first[5] >= '0' && first[5] <= '9' || first[4] == 0xff
}

// named is the protocol of a peer that said first, empty when it is none known.
func named(first []byte) string {
	for _, p := range protocols {
		if p.is(first) {
			return p.name
		}
	}
	return ""
}
