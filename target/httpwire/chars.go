package httpwire

import "encoding/binary"

// The characters of a token (RFC 9110, section 5.6.2) as two bit sets, for
// bytes below 64 and below 128.
const (
	tokenLow  = uint64(1)<<'!' | 1<<'#' | 1<<'$' | 1<<'%' | 1<<'&' | 1<<'\'' | 1<<'*' | 1<<'+' | 1<<'-' | 1<<'.' | 0x3ff<<'0'
	tokenHigh = uint64(0x3ffffff)<<('A'-64) | 1<<('^'-64) | 1<<('_'-64) | 1<<('`'-64) | uint64(0x3ffffff)<<('a'-64) | 1<<('|'-64) | 1<<('~'-64)
)

func isTokenByte(c byte) bool {
	switch {
	case c < 64:
		return tokenLow>>c&1 != 0
	case c < 128:
		return tokenHigh>>(c-64)&1 != 0
	}
	return false
}

func isToken(b []byte) bool {
	for _, c := range b {
		if !isTokenByte(c) {
			return false
		}
	}
	return len(b) > 0
}

// isText reports whether b is free of control characters other than tab. It
// looks at eight bytes at a time and at single ones only where a word is
// suspicious: header values are the longest part of a head.
func isText(b []byte) bool {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		below := (x - 0x20*ones) &^ x & high // a byte below 0x20
		del := x ^ 0x7f*ones
		if (below|((del-ones)&^del&high)) != 0 && !isTextSlow(b[:8]) {
			return false
		}
		b = b[8:]
	}
	return isTextSlow(b)
}

func isTextSlow(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// isTarget reports whether b can be a request target: visible bytes, raw UTF-8
// let through because common clients send it.
func isTarget(b []byte) bool {
	for _, c := range b {
		if c <= 0x20 || c == 0x7f {
			return false
		}
	}
	return len(b) > 0
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// equalFold compares with ASCII case folding only; lower must be lower case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
