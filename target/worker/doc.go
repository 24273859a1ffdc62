// Package worker starts the processes that execute requests and talks to them.
// It decides how a worker comes to life (a runtime: forked from a warm template,
// or executed afresh, as this program or as python3), what it does with a request's
// service time, what travels between node and worker, and how a worker's
// end is learned. How many workers there are, and which one takes a request, is
// decided elsewhere.
//
// # Processes
//
// Every worker is a direct child of the node, forked ones too: the template
// clones with CLONE_PARENT. So the node reaps every worker itself and learns its
// exit status, and a killed template takes no worker with it. Nothing outlives
// the node: each process asks for SIGKILL at its parent's death and, as a second
// line, ends when its socket does. Processes name themselves edge-worker and
// edge-template (comm in /proc/<pid>/stat) and live in process groups of their own, so
// that a Ctrl-C at the node's terminal reaches the node alone.
//
// # Wire protocol
//
// Node and worker share a Unix SOCK_SEQPACKET socket: one message is one frame of 32
// bytes in native byte order, followed by at most MaxBody bytes. A worker greets
// with a hello frame (id = its pid), then answers each request frame with one
// response frame; it ends with status 0 when its socket closes. A request's body
// is not interpreted: it is dropped, or sent back when the request asks for it.
//
//	kind u32 · flags u32 · id u64 · nanos i64 · body u32 · dirty u32
//
// nanos is the service time wanted in a request and the one measured in a
// response; body is the length of what follows; dirty is how many bytes of its heap the
// worker writes to during the request. A malformed frame ends the worker with
// status 3: node and worker are one binary, the python script in it included, so there
// is nothing to negotiate.
//
// A template's socket carries commands (id u64, with the worker's end of its socket
// as SCM_RIGHTS) and replies (id u64 · pid i32 · errno i32).
package worker
