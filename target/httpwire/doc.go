// Package httpwire reads HTTP/1.x requests and writes responses, from bytes to
// events and from values to bytes: it owns no socket, no buffer and no clock.
//
// It decides framing and refuses everything on which two parsers could
// disagree, for a request that two parsers cut differently is a smuggled
// request (RFC 9112, sections 2.2, 6.3 and 11.2):
//
//   - a line ends in CRLF; a bare LF, or a bare CR inside a line, is 400
//   - a folded header line (obs-fold) and a space before the colon are 400
//   - Content-Length is one run of digits and comes once; a repetition is 400
//     even with an equal value
//   - Content-Length beside Transfer-Encoding is 400, and so is
//     Transfer-Encoding in HTTP/1.0
//   - chunked is the only transfer coding, and once; any other is 501
//   - HTTP/1.1 has exactly one Host, HTTP/1.0 at most one
//   - a chunk size is followed by CRLF or ';', never by a space; extensions are
//     skipped
//   - versions other than 1.0 and 1.1 are 505; an expectation other than
//     100-continue is 417
//   - a request line above the head limit is 414, a head above it 431, a body
//     above its limit 413, told as early as the bytes allow
//
// It does not know methods, does not decode the target, and drops trailers
// after checking them. Empty lines before a request are skipped.
package httpwire
