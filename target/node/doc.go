// Package node joins the reactor, the pool and the worker runtimes to a worker
// node that serves HTTP.
//
// One thread, the reactor's, owns everything that is decided: requests, the
// pool, its policy and its timers. It also writes requests to the sockets of the
// worker processes and reads their answers. It never blocks: what would, the start and
// end of processes, is done in goroutines that hand the outcome back to it. So
// the pool needs no lock, and its decisions are those that the twin makes from the
// same inputs.
//
// Further reactors, where there are any, share the connections: they read, parse,
// answer /ping and write, and hand everything else to the thread that decides. One
// is enough for what workers can take; more cost each request a hand-over.
//
// GET /ping is answered by the reactor, /stats, /metrics and /events tell about the node,
// every other target is an invocation. What an invocation's response headers
// say is what happened to it: X-Path, X-Cold-Start, X-Worker-Id, X-Queue-Wait-Ns,
// X-Start-Wait-Ns, X-Service-Ns, and X-Error where it failed.
package node
