// Package reactor serves HTTP/1.x from one locked OS thread over
// edge-triggered epoll. It decides when bytes move; what is answered is the
// handler's business, which sees requests and gives responses by value and
// never touches a socket.
//
// A connection is a pump: it reads, parses and flushes until nothing moves.
// Requests of one connection are answered in their order, whatever the order
// of completion. A client that does not read is not read from; a request begun
// and not finished in time is answered 408; an idle connection costs one
// descriptor and no time. Malformed requests are answered by the reactor
// itself, with the status httpwire gives.
//
// The loop's thread is also a place to run: Post runs a function on it, AfterFunc
// one at an instant, Watch one whenever a descriptor of the handler's is readable.
// What lives there needs no locks.
package reactor
