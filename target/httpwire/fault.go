package httpwire

import (
	"fmt"
	"strconv"
)

// A Fault is why a request was refused: the status to answer with and a text
// that names the offending part. A connection is unusable after it.
type Fault struct {
	Status int
	Text   string
}

func (f *Fault) Error() string {
	return strconv.Itoa(f.Status) + " " + StatusText(f.Status) + ": " + f.Text
}

// excerpt quotes the start of an offending text, so that a fault is readable
// and bounded whatever the client sent.
func excerpt(b []byte) string {
	const most = 48
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}

func (p *Parser) refuse(status int, format string, args ...any) Event {
	p.state = failed
	p.fault = &Fault{Status: status, Text: fmt.Sprintf(format, args...)}
	return Bad
}
