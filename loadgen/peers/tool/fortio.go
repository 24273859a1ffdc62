package tool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

var fortio = Tool{
	Name:    "fortio",
	Source:  Source{Program: "fortio", Module: "fortio.org/fortio", Version: "v1.68.2"},
	Guess:   80_000,
	Latency: "from the call on a free connection: waiting for one is not in it",
	Paces:   "-uniform: each connection has a rate of its own, their starts spread evenly",
	Invoke: func(l Load) Invocation {
		return Invocation{Args: []string{
			"load", "-c", strconv.Itoa(l.Connections), "-qps", strconv.Itoa(l.Rate), "-uniform", "-t", l.Length.String(),
			"-json", "-", "-loglevel", "Error", "-p", "50,90,99,99.9", "-r", "0.00001", l.URL,
		}}
	},
	Parse: parseFortio,
}

func parseFortio(stdout []byte) (Figures, error) {
	var r struct {
		ActualDuration    time.Duration
		RetCodes          map[string]uint64
		DurationHistogram struct {
			Count       uint64
			Percentiles []struct{ Percentile, Value float64 }
		}
	}
	if err := json.Unmarshal(stdout, &r); err != nil {
		return Figures{}, fmt.Errorf("result of fortio: %w", err)
	}
	f := Figures{OK: r.RetCodes["200"], Elapsed: r.ActualDuration}
	if f.OK > r.DurationHistogram.Count {
		return Figures{}, fmt.Errorf("result of fortio: %d good answers of %d requests", f.OK, r.DurationHistogram.Count)
	}
	f.Failed = r.DurationHistogram.Count - f.OK
	for _, p := range r.DurationHistogram.Percentiles {
		f.set(p.Percentile, time.Duration(p.Value*1e9))
	}
	return f, nil
}
