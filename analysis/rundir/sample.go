// Package rundir is the run directory: the one contract between those who
// produce runs (the engine, the twin) and those who read them. It decides file
// names, columns, keys and units, and refuses what it cannot read exactly.
package rundir

// A Sample is the fate of one scheduled request. All instants are nanoseconds
// on the run's monotonic clock, whose zero is the start of the schedule.
//
// Response time is Done − Scheduled, service time Done − Sent, lag
// Sent − Scheduled − ConnectWaitNS, so that response = lag + connect wait +
// service; a request that was never sent has only Scheduled and Drop.
type Sample struct {
	Index     uint64 // position in the schedule, from 0
	Phase     int32  // index into the schedule's flattened phases
	Function  int32  // index into the schedule's functions, 0 where there is one
	Status    uint16 // HTTP status, 0 when no complete header arrived
	Outcome   Outcome
	Drop      DropReason // set when Outcome is Dropped
	Path      Path       // the node's mark; PathUnknown where it gave none
	Scheduled int64
	Sent      int64 // first byte handed to the kernel
	Done      int64 // last byte of the response, or the instant of the error
	Bytes     int64 // received on the wire for this response, header and body

	// ConnectWaitNS is the part of Sent − Scheduled spent waiting for a connection
	// to be opened: the target's or the network's, not the generator's.
	ConnectWaitNS int64

	// What a node of ours tells in its response headers, 0 elsewhere.
	Worker      int64 // worker id
	QueueWaitNS int64 // waiting for a busy worker
	StartWaitNS int64 // waiting for a worker being started
	ServiceNS   int64 // inside the worker
	Cold        Mark  // cold start by the mark of the response (header), if any
}

// Lag is the generator's own delay: from the planned instant to the first byte,
// without the wait for a connection.
func (s *Sample) Lag() int64 { return s.Sent - s.Scheduled - s.ConnectWaitNS }

// Mark is a yes or no that may be missing.
type Mark uint8

// Marks.
const (
	MarkNone Mark = iota
	MarkNo
	MarkYes
)

// Path is how a request reached its worker (glossary: cold is fresh or fallback).
type Path uint8

// Paths.
const (
	PathUnknown  Path = iota
	PathWarm          // an idle worker took it at once
	PathQueued        // it waited for a busy worker
	PathFresh         // it waited for a worker being started
	PathFallback      // a one-off worker served it
	NumPaths
)

var pathNames = [NumPaths]string{"", "warm", "queued", "fresh", "fallback"}

func (p Path) String() string { return pathNames[p] }

// Cold reports whether the path is a cold start.
func (p Path) Cold() bool { return p == PathFresh || p == PathFallback }

// ParsePath is the inverse of String; an unknown text gives PathUnknown.
func ParsePath(text []byte) Path {
	for p := PathWarm; p < NumPaths; p++ {
		if string(text) == pathNames[p] {
			return p
		}
	}
	return PathUnknown
}

// Outcome is the one class every scheduled request ends in. OK is a complete
// response with an expected status; Dropped was never sent; OpenAtEnd was sent
// and unanswered when the drain timeout ended; all others are error classes.
type Outcome uint8

// Outcomes.
const (
	OK Outcome = iota
	Dropped
	OpenAtEnd
	ErrTimeout        // no complete response within the request timeout
	ErrRefused        // connect refused
	ErrConnect        // connect failed in another way, or timed out
	ErrReset          // connection reset or closed before the first byte of a response
	ErrStale          // the same on a reused connection that the peer had closed while idle
	ErrTruncatedBody  // closed inside a response
	ErrProtocol       // not HTTP, or malformed
	ErrHeaderTooLarge // header above the limit
	ErrBodyTooLarge   // body above the limit
	ErrDNS
	ErrTLS
	ErrStatus3xx
	ErrStatus4xx
	ErrStatus5xx
	ErrStatusOther // 1xx as a final status, or 600 and above
	ErrBodyCheck   // the body did not hold what the profile expects
	NumOutcomes
)

var outcomeNames = [NumOutcomes]string{
	"ok", "dropped", "open_at_end", "timeout", "refused", "connect", "reset", "conn_stale",
	"truncated_body", "protocol", "header_too_large", "body_too_large", "dns", "tls",
	"http_3xx", "http_4xx", "http_5xx", "http_other", "body_check",
}

func (o Outcome) String() string { return outcomeNames[o] }

// IsError reports whether the request was sent and failed.
func (o Outcome) IsError() bool { return o > OpenAtEnd && o < NumOutcomes }

// ErrorClasses are the names of all ways in which a request fails.
func ErrorClasses() (names []string) {
	for o := range NumOutcomes {
		if o.IsError() {
			names = append(names, o.String())
		}
	}
	return names
}

// DropReason says why a scheduled request was never sent.
type DropReason uint8

// Drop reasons.
const (
	DropNone DropReason = iota
	DropMaxInFlight
	DropNoConnection
	DropLate
	DropFDExhausted
	DropLocalPortExhausted
	DropStopped // its instant passed between a stop request and the end of sending
	NumDropReasons
)

var dropNames = [NumDropReasons]string{
	"", "max_in_flight", "no_connection", "late", "fd_exhausted", "local_port_exhausted", "stopped",
}

func (d DropReason) String() string { return dropNames[d] }

// DropReasons are the names of all reasons.
func DropReasons() []string { return append([]string{}, dropNames[DropNone+1:]...) }
