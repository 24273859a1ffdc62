package response

import "edgebench/analysis/rundir"

// An Expectation says what is known of a response before it comes, and what it
// has to be to count as ok. It is shared by requests and never changed.
type Expectation struct {
	Head    bool   // the request is a HEAD: the response has no body
	Status  Status // nil: any 2xx
	MaxBody int64  // bytes of a body, above it the response is broken off; 0 = the parser's limit
	Body    Check  // nil: bodies are counted and not looked at
	Keep    int    // bytes of a body that are kept for Body and Cold, from its start

	// How the response tells of a cold start, beside the header of Config.
	Cold           func(Body) rundir.Mark // by its body; nil: not there
	InstanceHeader []byte                 // canonical name of the header with the instance, nil for none
	Instances      *Instances             // those seen, where InstanceHeader is set
}

// looked is what was kept of the body, for those who look at it.
func (r *Response) looked() Body {
	return Body{Bytes: r.kept, Whole: int64(len(r.kept)) == r.body, Encoding: r.encoding}
}

// A Check tells whether a body is as expected.
type Check func(Body) bool

// A Body is what was kept of one.
type Body struct {
	Bytes    []byte
	Whole    bool   // nothing was left out
	Encoding string // Content-Encoding, as the response has it; empty for none
}

// Status is a set of statuses.
type Status []StatusRange

// A StatusRange is the statuses from one to another, both included.
type StatusRange struct{ From, To uint16 }

// Has reports whether a status is in the set; nil is any 2xx.
func (s Status) Has(status uint16) bool {
	if s == nil {
		return status/100 == 2
	}
	for _, r := range s {
		if r.From <= status && status <= r.To {
			return true
		}
	}
	return false
}

// anything is expected where nothing was said.
var anything = &Expectation{}

// Expect says what the response is a response to. It is called before its first
// byte comes; nil expects a 2xx.
func (r *Response) Expect(e *Expectation) {
	if e == nil {
		e = anything
	}
	r.expected = e
}

// keep copies what a check will look at.
func (r *Response) keep(b []byte) {
	if room := r.expected.Keep - len(r.kept); room > 0 {
		r.kept = append(r.kept, b[:min(room, len(b))]...)
	}
}

// judge is the class of a whole response.
func (r *Response) judge() rundir.Outcome {
	e := r.expected
	if !e.Status.Has(r.status) {
		switch r.status / 100 {
		case 3:
			return rundir.ErrStatus3xx
		case 4:
			return rundir.ErrStatus4xx
		case 5:
			return rundir.ErrStatus5xx
		}
		return rundir.ErrStatusOther
	}
	if e.Body != nil && !e.Body(r.looked()) {
		return rundir.ErrBodyCheck
	}
	if e.Cold != nil {
		r.marks.cold = e.Cold(r.looked())
	}
	return rundir.OK
}
