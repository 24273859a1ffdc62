package main

import (
	"fmt"
	"strings"
	"time"

	"edgebench/analysis/plain"
	"edgebench/loadgen/probe"
)

// probeText is a report for people, with the profile unless that was written to a
// file.
func probeText(r *probe.Report, written string) string {
	var b strings.Builder
	fact := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s%s\n", name, fmt.Sprintf(format, args...))
	}
	b.WriteString(plain.Line(r.URL) + "\n\n")
	fact("address", "%s   connect %s", r.Address, latency(r.ConnectNS))
	if r.TLSVersion != "" {
		offers := "no HTTP/2"
		if r.HTTP2 {
			offers = "HTTP/2 too, which loadgen does not speak"
		}
		fact("tls", "%s   %s   handshake %s   %s", r.TLSVersion, r.TLSCipher, latency(r.HandshakeNS), offers)
	}
	fact("http", "%s   %s   server %s", orNone(r.Protocol), keepAlive(r), orNone(r.Server))
	fact("requests", "%d, %d failed", len(r.Answers), r.Failed)
	for _, text := range failures(r.Answers) {
		fact("", "%s", text)
	}
	if r.FirstNS != nil {
		fact("first", "%s%s", latency(*r.FirstNS), coldWord(r.Answers[0]))
	}
	if w := r.Warm; w != nil {
		fact("warm", "min %s   p50 %s   max %s   of %d", latency(w.MinNS), latency(w.P50NS), latency(w.MaxNS), w.N)
	}
	for i, a := range r.Answers {
		if a.Kind != probe.Idle || a.Status == 0 {
			continue
		}
		then := ""
		if i+1 < len(r.Answers) && r.Answers[i+1].Status != 0 {
			then = ", then " + latency(r.Answers[i+1].TotalNS) + coldWord(r.Answers[i+1])
		}
		fact("idle", "after %v %s%s%s", time.Duration(a.AfterNS), latency(a.TotalNS), coldWord(a), then)
	}
	crowds := "one crowd of service times: " + r.Split.Why
	if r.Split.ThresholdNS != nil {
		crowds = fmt.Sprintf("two crowds of service times: %d around %s, %d around %s", r.Split.Low.N, latency(r.Split.Low.MedianNS), r.Split.High.N, latency(r.Split.High.MedianNS))
	}
	fact("shape", "%s", crowds)
	b.WriteString("\n")
	fact("cold", "%s", r.Cold.Words())
	fact("threshold", "%s%s", proposed(r.Propose.ThresholdNS != nil, func() string { return latency(*r.Propose.ThresholdNS) }), r.Propose.ThresholdWhy)
	fact("rate", "%s%s", proposed(r.Propose.RateRPS > 0, func() string { return fmt.Sprintf("%g/s", r.Propose.RateRPS) }), r.Propose.RateWhy)
	if r.Profile == "" {
		fact("profile", "none: no request was ok")
		return b.String()
	}
	if written != "" {
		fact("profile", "%s   loadgen run %s", written, written)
		return b.String()
	}
	b.WriteString("profile   (--write FILE keeps it)\n\n" + r.Profile)
	return b.String()
}

func proposed(known bool, what func() string) string {
	if !known {
		return "none: "
	}
	return what() + ": "
}

func keepAlive(r *probe.Report) string {
	switch {
	case !r.KeepAlive:
		return "one request a connection"
	case r.IdleClosedNS != nil:
		return fmt.Sprintf("keep-alive, idle connections closed within %v", time.Duration(*r.IdleClosedNS))
	}
	return "keep-alive"
}

// failures are the ways requests failed, each once with its number.
func failures(answers []probe.Answer) (out []string) {
	n := map[string]int{}
	for _, a := range answers {
		text := a.Error
		if text == "" && (a.Status < 200 || a.Status > 299) {
			text = fmt.Sprintf("status %d", a.Status)
		}
		if text == "" {
			continue
		}
		if n[text]++; n[text] == 1 {
			out = append(out, text)
		}
	}
	for i, text := range out {
		out[i] = fmt.Sprintf("%d × %s", n[text], text)
	}
	return out
}

func coldWord(a probe.Answer) string {
	if a.Cold != nil && *a.Cold {
		return " (cold)"
	}
	return ""
}

func latency(ns int64) string { return short(time.Duration(ns)) }

func orNone(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
