package tool

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

var wrk = Tool{
	Name:    "wrk",
	Source:  Source{Program: "wrk", Package: "wrk"},
	Closed:  true,
	Latency: "from the send, in a closed loop",
	Paces:   "no open loop: a connection sends when its answer is there",
	Invoke: func(l Load) Invocation {
		seconds := strconv.Itoa(max(1, int(l.Length.Seconds())))
		return Invocation{Args: []string{"-t1", "-c", strconv.Itoa(l.Connections), "-d", seconds, "--latency", l.URL}}
	},
	Parse: parseWrk,
}

func parseWrk(stdout []byte) (Figures, error) {
	var f Figures
	for line := range strings.Lines(string(stdout)) {
		fields := strings.Fields(line)
		var err error
		switch {
		case len(fields) >= 4 && fields[1] == "requests" && fields[2] == "in":
			// 29499 requests in 1.02s, 4.30MB read
			if f.OK, err = strconv.ParseUint(fields[0], 10, 64); err == nil {
				f.Elapsed, err = time.ParseDuration(strings.TrimSuffix(fields[3], ","))
			}
		case strings.HasPrefix(line, "  Non-2xx"):
			f.Failed, err = strconv.ParseUint(fields[len(fields)-1], 10, 64)
		case len(fields) == 2 && strings.HasSuffix(fields[0], "%"):
			var latency time.Duration
			var p float64
			if p, err = strconv.ParseFloat(strings.TrimSuffix(fields[0], "%"), 64); err == nil {
				latency, err = time.ParseDuration(fields[1])
				f.set(p, latency)
			}
		}
		if err != nil {
			return Figures{}, fmt.Errorf("report of wrk: %q: %w", strings.TrimSpace(line), err)
		}
	}
	if f.Elapsed == 0 || f.Failed > f.OK {
		return Figures{}, fmt.Errorf("report of wrk: no count of requests in %d bytes", len(stdout))
	}
	f.OK -= f.Failed
	return f, nil
}
