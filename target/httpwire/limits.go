package httpwire

// Limits bound what one request may cost. The zero value takes the defaults.
type Limits struct {
	Head int   // bytes of request line and headers, and again of trailers and of chunk extensions; default 16 KiB
	Body int64 // bytes of the decoded body; default 16 MiB, negative for no body at all
}

// Defaults of Limits.
const (
	DefaultHead = 16 << 10
	DefaultBody = 16 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Head <= 0 {
		l.Head = DefaultHead
	}
	switch {
	case l.Body == 0:
		l.Body = DefaultBody
	case l.Body < 0:
		l.Body = 0
	}
	l.Body = min(l.Body, 1<<56) // leaves room for a digit more in the arithmetic
	return l
}
