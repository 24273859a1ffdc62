package node

import (
	"time"

	"edgebench/target/httpwire"
	"edgebench/target/pool"
	"edgebench/target/worker"
)

// fillAnswer writes what happened to an invocation into r, whose header buffer is
// used again. wait is how long it waited for a dispatcher after it had its
// worker: told apart, because it is the node's own limit and not the pool's.
func fillAnswer(r *httpwire.Response, j job, wait time.Duration, result worker.Result, err error) {
	h := appendPath(r.Header[:0], j.path)
	h = httpwire.AppendHeaderInt(h, "X-Worker-Id", int64(j.hand.id))
	h = httpwire.AppendHeaderInt(h, "X-Queue-Wait-Ns", int64(j.queueWait))
	h = httpwire.AppendHeaderInt(h, "X-Start-Wait-Ns", int64(j.startWait))
	h = httpwire.AppendHeaderInt(h, "X-Dispatch-Wait-Ns", int64(wait))
	*r = httpwire.Response{Status: 200, Type: textType, Header: h, Body: okBody}
	if err == nil {
		r.Header = httpwire.AppendHeaderInt(h, "X-Service-Ns", int64(result.Service))
		return
	}
	class := errorClass(err)
	r.Header = httpwire.AppendHeader(h, "X-Error", class)
	r.Status, r.Body = 502, []byte(err.Error()+"\n")
	if class == "worker_hung" {
		r.Status = 504
	}
}

func appendPath(h []byte, p pool.Path) []byte {
	h = httpwire.AppendHeader(h, "X-Path", p.String())
	cold := "false"
	if p.Cold() {
		cold = "true"
	}
	return httpwire.AppendHeader(h, "X-Cold-Start", cold)
}
