package experiment

import (
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/engine"
	"edgebench/monitor"
)

// A baseline is what our process had used, and the kernel had counted, before
// the first request.
type baseline struct {
	usage    monitor.Usage
	counters monitor.Counters
}

func (r *run) measureGenerator() (b baseline) {
	var err error
	if b.usage, err = monitor.OwnUsage(); err != nil {
		r.warn("CPU time of the generator: %v", err)
	}
	if b.counters, err = r.fs.Counters(0); err != nil {
		r.warn("kernel counters: %v", err)
	}
	return b
}

// judgeGenerator writes down what the generator cost since then, and what
// happened to it.
func (r *run) judgeGenerator(before baseline, result engine.Result) {
	after := r.measureGenerator()
	used := after.usage.Since(before.usage)
	counted := after.counters.Since(before.counters)
	gc := result.Collections
	g := &rundir.Generator{
		CPUUserSeconds: used.User.Seconds(), CPUSystemSeconds: used.System.Seconds(), CoresUsable: r.host.CoresUsable(),
		GCPauses: &gc.Count, GCPauseTotalNS: new(int64(gc.Total)), GCPauseMaxNS: new(int64(gc.Max)),
		KernelCounters: counted,
	}
	var files unix.Rlimit // asked here: the engine has raised it
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil {
		g.OpenFilesLimit = new(int64(min(files.Cur, 1<<62)))
	}
	r.manifest.Generator = g
	r.manifest.Warnings = append(r.manifest.Warnings, counted.Warnings(max(result.Ended, time.Millisecond))...)
}
