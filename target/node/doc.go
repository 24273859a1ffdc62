// Package node joins the reactor, the pool and the worker runtimes to a worker
// node that serves HTTP.
//
// One thread, the reactor's, owns everything that is decided: requests, the
// pool, its policy and its timers. It never blocks. What blocks, the start, use
// and end of worker processes, is done by a pool of dispatchers; they answer
// the clients themselves and hand what became of it back to the reactor's
// thread. So the pool needs no lock, and its decisions are those that the twin
// makes from the same inputs.
//
// GET /ping is answered by the reactor, /stats and /events tell about the node,
// every other target is an invocation. What an invocation's response headers
// say is what happened to it: X-Path, X-Cold-Start, X-Worker-Id, X-Queue-Wait-Ns,
// X-Start-Wait-Ns, X-Dispatch-Wait-Ns, X-Service-Ns, and X-Error where it failed.
package node
