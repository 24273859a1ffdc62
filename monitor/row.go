package monitor

import (
	"strconv"
	"time"
)

// A Row is what one sampling instant found. Sums are over the processes of the
// node's tree that could be read: those that could not are counted beside them.
type Row struct {
	At      time.Duration // start of the sampling, on the run's clock; negative before its zero
	Unix    int64         // the same on the real-time clock, ns
	Late    time.Duration // start of the sampling − its planned instant, ≥ 0
	Skipped int           // rows before this one that were not taken, because their instants had passed

	// Node is whether a tree is watched. Without it the fields down to CPUShare
	// are empty in the file.
	Node      bool
	Workers   int // running processes of role worker
	Processes int // running processes in the tree, all roles
	Missing   int // processes that are in none of the memory sums: zombie, unreadable, vanished; the node itself once it has ended

	// Null when no process at all could be read.
	RSS Null[int64] // bytes, shared pages once a process
	PSS Null[int64] // bytes, shared pages once
	USS Null[int64] // bytes, unshared pages only

	// Shares of PSS by role, in bytes; null when no process of the role was read.
	NodePSS, TemplatePSS, WorkersPSS, FitterPSS Null[int64]

	PSSMissing  int           // processes that PSS, USS and the shares lack: Missing, and those not read yet
	PSSAge      time.Duration // age of the oldest reading in PSS
	PSSInterval time.Duration // each process's PSS is read once in this; longer than asked for when the sampler cost too much

	CPU      time.Duration // CPU time of the tree since the first row, ended processes included
	CPUShare Null[float64] // of one core, since the row before; null in the first

	GeneratorCPU   time.Duration // CPU time of our own process since the first row, sampler included
	GeneratorRSS   Null[int64]   // bytes
	GeneratorFiles Null[int64]   // open files of our own process

	SamplerCPU  time.Duration // CPU time of the sampler's own thread since it started
	SamplerWall time.Duration // time the sampler spent at work since the row before
}

// columns are the fields of monitor.csv. Units are in the names, an empty
// field is null.
var columns = [...]struct {
	name   string
	append func([]byte, *Row) []byte
}{
	{"t_ns", func(b []byte, r *Row) []byte { return strconv.AppendInt(b, int64(r.At), 10) }},
	{"unix_ns", func(b []byte, r *Row) []byte { return strconv.AppendInt(b, r.Unix, 10) }},
	{"late_ns", func(b []byte, r *Row) []byte { return strconv.AppendInt(b, int64(r.Late), 10) }},
	{"skipped", func(b []byte, r *Row) []byte { return strconv.AppendInt(b, int64(r.Skipped), 10) }},
	{"workers", func(b []byte, r *Row) []byte { return r.nodeInt(b, int64(r.Workers)) }},
	{"processes", func(b []byte, r *Row) []byte { return r.nodeInt(b, int64(r.Processes)) }},
	{"missing", func(b []byte, r *Row) []byte { return r.nodeInt(b, int64(r.Missing)) }},
	{"rss_bytes", func(b []byte, r *Row) []byte { return appendNull(b, r.RSS) }},
	{"pss_bytes", func(b []byte, r *Row) []byte { return appendNull(b, r.PSS) }},
	{"uss_bytes", func(b []byte, r *Row) []byte { return appendNull(b, r.USS) }},
	{"node_pss_bytes", func(b []byte, r *Row) []byte { return appendNull(b, r.NodePSS) }},
	{"template_pss_bytes", func(b []byte, r *Row) []byte { return appendNull(b, r.TemplatePSS) }},
	{"workers_pss_bytes", func(b []byte, r *Row) []byte { return appendNull(b, r.WorkersPSS) }},
	{"fitter_pss_bytes", func(b []byte, r *Row) []byte { return appendNull(b, r.FitterPSS) }},
	{"pss_missing", func(b []byte, r *Row) []byte { return r.nodeInt(b, int64(r.PSSMissing)) }},
	{"pss_age_ns", func(b []byte, r *Row) []byte { return appendNull(b, Null[int64]{int64(r.PSSAge), r.PSS.Valid}) }},
	{"pss_interval_ns", func(b []byte, r *Row) []byte { return r.nodeInt(b, int64(r.PSSInterval)) }},
	{"cpu_seconds", func(b []byte, r *Row) []byte {
		if !r.Node {
			return b
		}
		return appendSeconds(b, r.CPU)
	}},
	{"cpu_share", func(b []byte, r *Row) []byte {
		if !r.CPUShare.Valid {
			return b
		}
		return strconv.AppendFloat(b, r.CPUShare.V, 'f', 6, 64)
	}},
	{"generator_cpu_seconds", func(b []byte, r *Row) []byte { return appendSeconds(b, r.GeneratorCPU) }},
	{"generator_rss_bytes", func(b []byte, r *Row) []byte { return appendNull(b, r.GeneratorRSS) }},
	{"generator_open_files", func(b []byte, r *Row) []byte { return appendNull(b, r.GeneratorFiles) }},
	{"sampler_cpu_seconds", func(b []byte, r *Row) []byte { return appendSeconds(b, r.SamplerCPU) }},
	{"sampler_wall_ns", func(b []byte, r *Row) []byte { return strconv.AppendInt(b, int64(r.SamplerWall), 10) }},
}

// Columns are the names of a row's fields, in the order of Append.
func Columns() []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return names
}

// Append appends the row as a CSV record, without a line end.
func (r *Row) Append(dst []byte) []byte {
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.append(dst, r)
	}
	return dst
}

func (r *Row) nodeInt(dst []byte, n int64) []byte {
	if !r.Node {
		return dst
	}
	return strconv.AppendInt(dst, n, 10)
}

func appendNull(dst []byte, n Null[int64]) []byte {
	if !n.Valid {
		return dst
	}
	return strconv.AppendInt(dst, n.V, 10)
}

// appendSeconds writes d ≥ 0 with all its nanoseconds, which a float64 would
// round after some weeks of CPU time.
func appendSeconds(dst []byte, d time.Duration) []byte {
	dst = strconv.AppendInt(dst, int64(d/time.Second), 10)
	dst = append(dst, '.')
	digits := strconv.AppendInt(dst, int64(d%time.Second+time.Second), 10)
	// The added second is a leading 1, which keeps the zeros behind the point.
	return append(dst, digits[len(dst)+1:]...)
}
