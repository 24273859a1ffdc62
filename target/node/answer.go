package node

import (
	"errors"

	"edgebench/target/httpwire"
	"edgebench/target/pool"
	"edgebench/target/worker"
)

// fillAnswer writes what happened to an invocation into r, whose header buffer is
// used again.
func fillAnswer(r *httpwire.Response, s *server, result worker.Result, err error) {
	h := appendPath(r.Header[:0], s.job.path)
	h = httpwire.AppendHeaderInt(h, "X-Worker-Id", int64(s.hand.id))
	h = httpwire.AppendHeaderInt(h, "X-Queue-Wait-Ns", int64(s.job.queueWait))
	h = httpwire.AppendHeaderInt(h, "X-Start-Wait-Ns", int64(s.job.startWait))
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

// errorClass is what X-Error says about a failed execution.
func errorClass(err error) string {
	switch {
	case errors.Is(err, worker.ErrHung):
		return "worker_hung"
	case errors.Is(err, worker.ErrProtocol):
		return "worker_garbage"
	}
	return "worker_died"
}
