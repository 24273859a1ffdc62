package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"edgebench/loadgen/peers/tool"
)

// text is everything that is printed: machine, table, ours alone, and what the
// figures mean.
func (r *results) text() string {
	var b strings.Builder
	b.WriteString(r.heading())
	b.WriteString("\n" + r.table() + "\n")
	for _, list := range [][]string{r.ownFigures(), r.ahead(), r.reached(), r.faults(), r.meaning()} {
		for _, line := range list {
			b.WriteString(line + "\n")
		}
		if len(list) > 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (r *results) heading() string {
	m := r.Machine
	virtual := "bare metal as far as it says"
	if m.Hypervisor || m.Virtualisation != "" {
		virtual = "virtual (" + cmp.Or(m.Virtualisation, "by the processor's flag") + ")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s   took %v, rounds: %d   %d cores, %s, Linux %s %s, %s\n", r.Started.Format(time.RFC3339), r.Took.Round(time.Second),
		r.Rounds, m.CPUsOnline, m.CPUModel, m.Kernel, m.Arch, virtual)
	var versions []string
	for name, version := range r.Versions {
		versions = append(versions, strings.TrimPrefix(name+" "+version, "nginx "))
	}
	slices.Sort(versions)
	fmt.Fprintf(&b, "%s\n", strings.Join(versions, ", "))
	if r.Quick {
		b.WriteString("-quick: shows that everything works; the figures are not to be quoted\n")
	}
	if m.Load1.Valid && m.Load1.V > 0.5 {
		fmt.Fprintf(&b, "load %.1f before the start: others use this machine, the figures are not reliable\n", m.Load1.V)
	}
	return b.String()
}

// ownFigures are those no peer has.
func (r *results) ownFigures() []string {
	var lines []string
	for _, rec := range r.Records {
		if rec.Error != "" {
			continue
		}
		switch rec.Part {
		case "laws":
			line := fmt.Sprintf("%s at %s as it arrives: KS distance %.3f (wanted ≤ 0.05 at %s)", rec.Law, at(rec.Rate), rec.Values[keyKS], at(lawRate))
			if rec.Law == "h2" {
				line += fmt.Sprintf(", C² %.3f (law %.3f, wanted within 5 %% over 100,000 gaps)", rec.Values[keySCV], h2SCV)
			}
			lines = append(lines, fmt.Sprintf("%s, %s arrivals", line, whole(rec.Values[keyArrivals])))
		case "tls":
			v := rec.Values
			lines = append(lines, fmt.Sprintf("TLS, against fasthttp's own client closed loop, both on all cores with their server: capacity %s/s against %s/s, ratio %.2f (wanted ≥ 0.8)",
				whole(v["capacity ok/s"]), whole(v["capacity fasthttp/s"]), v["capacity ratio"]))
			for _, share := range []string{"0.5", "0.8", "1.0"} {
				if _, known := v["open-"+share+" ok/s"]; !known {
					continue
				}
				key := func(unit string) float64 { return v["open-"+share+" "+unit] }
				lines = append(lines, fmt.Sprintf("  open loop at %s of fasthttp's rate: %s/s, %.3f of it; lag p50 %.0f µs, p99 %.0f µs; response p99 %s µs",
					share, whole(key("ok/s")), key("held"), key("lag-p50-µs"), key("lag-p99-µs"), whole(key("p99-µs"))))
			}
		}
	}
	return lines
}

// ahead names every figure in which a peer is better.
func (r *results) ahead() []string {
	var lines []string
	for _, w := range rows(r.plan) {
		for _, t := range r.columns() {
			if c := r.cellOf(w, t.Name); c.ratio > 0 && c.ratio < 1 && !t.Variant {
				note := ""
				if t.Closed {
					note = ", in a closed loop"
				}
				lines = append(lines, fmt.Sprintf("- %s: %s %s, ours %s%s", w.label, t.Name, w.format(c.value), r.cellOf(w, tool.Ours).text(w), note))
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"Ahead of ours:"}, lines...)
}

// reached tells of every rate that was not kept what was.
func (r *results) reached() []string {
	var lines []string
	for _, w := range rows(r.plan) {
		for _, t := range r.columns() {
			line := ""
			if c := r.cellOf(w, t.Name); c.behind {
				rate, _ := medianOf(r.of(w.part, t.Name, w.rate), func(rec Record) (float64, bool) { return rec.Figures.Achieved(), true })
				line = fmt.Sprintf("- %s at %s (%s): %s reached", t.Name, at(w.rate), w.part, at(int(rate)))
			}
			if line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	for _, t := range r.columns() {
		if open, ok := medianOf(r.of("ceiling", t.Name, 0), value(keyOpen)); ok && open == 1 {
			lines = append(lines, fmt.Sprintf("- %s: the search ended before the next rate was tried, the ceiling may be higher", t.Name))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"* rate not kept:"}, lines...)
}

func (r *results) faults() []string {
	var lines []string
	for name, why := range r.Missing {
		lines = append(lines, fmt.Sprintf("- %s took no part: %s", name, why))
	}
	for _, rec := range r.Records {
		if rec.Error != "" {
			lines = append(lines, fmt.Sprintf("- %s, %s: failed: %s", rec.Tool, rec.Part, rec.Error))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// meaning are the footnotes.
func (r *results) meaning() []string {
	lines := []string{
		"Medians over rounds. * less than 0.95 of the rate was reached. In brackets: how many times better ours is; below 1 the other is. – is not measured, or not told by the tool.",
		fmt.Sprintf("One nginx worker on one core, one generator on another, %d connections, a body of 6 bytes, loopback.", connections),
		"Held: at least 0.99 of the rate in good answers and p99 ≤ 10 ms, as each tool counts them itself; see what its latency is.",
		"Gap error: the distance of each gap between arrivals from an even one. Grid error: of each arrival from the nearest point of an even grid, which is",
		"  a quarter of a gap without any pace (125 µs here). Both by the server, with the kernel's receive times where it has them.",
		"CPU is the whole process, its start included; resident is VmHWM. A rate of 100,000/s is asked of those that hold half of it.",
		"wrk2 cannot be had as a package or a Go module, so it is not here: figures in the project's notes are not ours.",
	}
	for _, t := range r.columns() {
		line := fmt.Sprintf("- %s: latency %s. Pace: %s", t.Name, t.Latency, t.Paces)
		if gap, ok := medianOf(r.of("pacing", t.Name, slowRate), value(keyGap50)); ok {
			verdict := "evenly"
			if gap > float64(time.Second/slowRate)/2 {
				verdict = "in bursts: half the gaps are off by more than half of one"
			}
			line += fmt.Sprintf("; seen by the server at %s: %s", at(slowRate), verdict)
		}
		lines = append(lines, line+".")
	}
	return lines
}
