package httpwire

import (
	"strconv"
	"time"
)

// A Response is an answer by value. Its slices stay the property of whoever
// filled them.
type Response struct {
	Status int    // 200..999; 0 means 200, anything else out of range 500
	Type   string // Content-Type, left out when empty
	Header []byte // further header lines, each ended by CRLF: see AppendHeader
	Body   []byte
	Close  bool // close the connection after this response
}

// A Reply is what the form of a response owes to its request.
type Reply struct {
	Minor     uint8 // of the request's version
	Head      bool  // a HEAD request: the body is counted and left out
	KeepAlive bool  // the connection lives on
}

// Reply is the form in which r is to be answered.
func (r *Request) Reply() Reply {
	return Reply{Minor: r.Minor, Head: string(r.Method()) == "HEAD", KeepAlive: r.KeepAlive}
}

// Continue is the interim response that an ExpectContinue request waits for.
const Continue = "HTTP/1.1 100 Continue\r\n\r\n"

// Append writes the response to dst. date is a line of AppendDate, or empty.
func (r *Response) Append(dst []byte, to Reply, date []byte) []byte {
	status := r.Status
	switch {
	case status == 0 || status == 200:
		status = 200
		dst = append(dst, "HTTP/1.1 200 OK\r\n"...)
	default:
		if status < 200 || status > 999 {
			status = 500 // an interim status as the final one would hang the client
		}
		dst = append(dst, "HTTP/1.1 "...)
		dst = strconv.AppendInt(dst, int64(status), 10)
		dst = append(dst, ' ')
		dst = append(dst, StatusText(status)...)
		dst = append(dst, '\r', '\n')
	}
	dst = append(dst, date...)
	if r.Type != "" {
		dst = append(dst, "Content-Type: "...)
		dst = append(dst, r.Type...)
		dst = append(dst, '\r', '\n')
	}
	bodiless := status == 204 || status == 304 // RFC 9112, section 6.3: a length here would be taken for a body
	if !bodiless {
		dst = append(dst, "Content-Length: "...)
		dst = strconv.AppendInt(dst, int64(len(r.Body)), 10)
		dst = append(dst, '\r', '\n')
	}
	dst = append(dst, r.Header...)
	switch {
	case r.Close || !to.KeepAlive:
		dst = append(dst, "Connection: close\r\n"...)
	case to.Minor == 0:
		dst = append(dst, "Connection: keep-alive\r\n"...)
	}
	dst = append(dst, '\r', '\n')
	if bodiless || to.Head {
		return dst
	}
	return append(dst, r.Body...)
}

// AppendHeader writes one header line. Bytes of value that would end the line
// become spaces, so that no text of a client can add a header.
func AppendHeader(dst []byte, name, value string) []byte {
	dst = append(dst, name...)
	dst = append(dst, ':', ' ')
	from := len(dst)
	dst = append(dst, value...)
	for i, c := range dst[from:] {
		if c < 0x20 && c != '\t' || c == 0x7f {
			dst[from+i] = ' '
		}
	}
	return append(dst, '\r', '\n')
}

// AppendHeaderInt writes one header line with a decimal number.
func AppendHeaderInt(dst []byte, name string, value int64) []byte {
	dst = append(dst, name...)
	dst = append(dst, ':', ' ')
	dst = strconv.AppendInt(dst, value, 10)
	return append(dst, '\r', '\n')
}

// AppendDate writes the Date line of the instant (RFC 9110, section 6.6.1).
func AppendDate(dst []byte, at time.Time) []byte {
	dst = append(dst, "Date: "...)
	dst = at.UTC().AppendFormat(dst, "Mon, 02 Jan 2006 15:04:05 GMT")
	return append(dst, '\r', '\n')
}
