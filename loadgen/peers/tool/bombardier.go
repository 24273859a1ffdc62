package tool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

var bombardier = Tool{
	Name:    "bombardier",
	Source:  Source{Program: "bombardier", Module: "github.com/codesenberg/bombardier", Version: "v1.2.6"},
	Guess:   40_000,
	Latency: "from the call on a free connection: waiting for one is not in it; p99.9 is not told",
	Paces:   "one limiter for all connections, bursts after every sleep",
	Invoke: func(l Load) Invocation {
		return Invocation{Args: []string{
			"-c", strconv.Itoa(l.Connections), "-r", strconv.Itoa(l.Rate), "-d", l.Length.String(), "-l", "-o", "json", "-p", "r", l.URL,
		}}
	},
	Parse: parseBombardier,
}

func parseBombardier(stdout []byte) (Figures, error) {
	var r struct {
		Result struct {
			TimeTakenSeconds                               float64
			Req1xx, Req2xx, Req3xx, Req4xx, Req5xx, Others uint64
			Latency                                        struct{ Percentiles map[string]float64 } // µs
		}
	}
	if err := json.Unmarshal(stdout, &r); err != nil {
		return Figures{}, fmt.Errorf("result of bombardier: %w", err)
	}
	res := r.Result
	f := Figures{
		OK: res.Req2xx, Failed: res.Req1xx + res.Req3xx + res.Req4xx + res.Req5xx + res.Others,
		Elapsed: time.Duration(res.TimeTakenSeconds * 1e9),
	}
	for name, µs := range res.Latency.Percentiles {
		p, err := strconv.ParseFloat(name, 64)
		if err != nil {
			return Figures{}, fmt.Errorf("result of bombardier: percentile %q: %w", name, err)
		}
		f.set(p, time.Duration(µs*1e3))
	}
	return f, nil
}
