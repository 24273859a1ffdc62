package pool

import "time"

// Op is what a Command asks for.
type Op uint8

// Operations.
const (
	Assign Op = iota // execute Request on Worker; answer it; then Done or Died
	Start            // start Worker; then Ready or StartFailed
	Stop             // end Worker, which is idle, or whose start is not yet reported
	Reject           // answer Request with a refusal for Reason
	Decide           // for the log: the policy has decided, or (Revised) decided anew; see LastDecision
)

var opNames = []string{"assign", "start", "stop", "reject", "decide"}

func (o Op) String() string { return opNames[o] }

// A Command is one thing the caller is to do. Only the fields its Op names mean
// anything.
type Command struct {
	Op      Op
	OneOff  bool // Start, Stop: Worker is a one-off
	Path    Path // Assign
	Reason  Reason
	Request uint64 // Assign, Reject, Start of a one-off
	Worker  uint64 // Assign, Start, Stop

	QueueWait time.Duration // Assign: waiting for a busy worker
	StartWait time.Duration // Assign: waiting for a worker being started
}

// Path is how a request reached its worker.
type Path uint8

// Paths.
const (
	Warm     Path = iota // an idle worker took it at once
	Queued               // it waited for a busy worker
	Fresh                // it waited for a worker being started
	Fallback             // a one-off worker was started for it
	NumPaths
)

var pathNames = [NumPaths]string{"warm", "queued", "fresh", "fallback"}

func (p Path) String() string { return pathNames[p] }

// Cold reports whether the request waited for a start.
func (p Path) Cold() bool { return p == Fresh || p == Fallback }

// Reason is why a command is given.
type Reason uint8

// Reasons.
const (
	NoReason    Reason = iota
	ByPolicy           // start: the target is above the number of workers
	Initial            // start: before the first decision
	ForOneOff          // start: a request waited for MissWait
	BySpawn            // start: a miss under MissSpawn
	Replace            // start: a worker died
	Retry              // start: an earlier start failed
	Idle               // stop: idle for IdleTimeout
	OneOffDone         // stop: the one-off has executed its request
	Unneeded           // stop: nobody waits for it any more
	Shutdown           // stop, reject: the node ends
	QueueFull          // reject: QueueLimit requests wait
	StartFailed        // reject: the one-off could not be started
	Revised            // decide: between two ticks
	NumReasons
)

var reasonNames = [NumReasons]string{
	"", "policy", "initial", "oneoff", "spawn", "replace", "retry",
	"idle", "oneoff_done", "unneeded", "shutdown", "queue_full", "start_failed", "revised",
}

func (r Reason) String() string { return reasonNames[r] }
