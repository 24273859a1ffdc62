package rundir

import (
	"fmt"
	"math"
	"path/filepath"
)

// A MonitorRow is one sample of the node's processes: node, template and
// workers together. A Number that is not Known was not measured in that row,
// which is something else than 0.
type MonitorRow struct {
	TNS               int64  // on the run's clock; negative before the schedule starts
	Workers           Number // worker processes
	Processes         Number // all processes of the tree
	Missing           Number // processes that could not be read and are in no sum
	RSSBytes          Number
	PSSBytes          Number
	USSBytes          Number
	NodePSSBytes      Number
	TemplatePSSBytes  Number
	WorkersPSSBytes   Number
	FitterPSSBytes    Number
	CPUSeconds        Number // cumulative, ended processes included
	CPUShare          Number // cores in use since the row before
	SamplerCPUSeconds Number // cumulative cost of the sampling itself
	LateNS            Number // how much later than planned the row is
	Skipped           Number // rows before this one that were not taken, because their instants had passed
	PSSMissing        Number // processes that are in no sum of PSS and USS

	GeneratorCPUSeconds Number // cumulative, of the generator's process
	GeneratorRSSBytes   Number
	GeneratorOpenFiles  Number
}

// ReadMonitor calls each for every row of monitor.csv, in the order of the file.
// An instant before the row above it is a fault.
func ReadMonitor(dir string, each func(*MonitorRow) error) (ReadNotes, error) {
	last := int64(math.MinInt64)
	return readTable(filepath.Join(dir, MonitorFile), []string{"t_ns", "workers"}, func(t *table) error {
		var r MonitorRow
		if err := t.integers(intColumn{"t_ns", &r.TNS}); err != nil {
			return err
		}
		if r.TNS < last {
			return t.lines.fault("t_ns", t.text("t_ns"), fmt.Sprintf("goes back from %d", last))
		}
		last = r.TNS
		if err := t.numbers(
			numberColumn{"workers", &r.Workers}, numberColumn{"processes", &r.Processes}, numberColumn{"missing", &r.Missing},
			numberColumn{"rss_bytes", &r.RSSBytes}, numberColumn{"pss_bytes", &r.PSSBytes}, numberColumn{"uss_bytes", &r.USSBytes},
			numberColumn{"node_pss_bytes", &r.NodePSSBytes}, numberColumn{"template_pss_bytes", &r.TemplatePSSBytes},
			numberColumn{"workers_pss_bytes", &r.WorkersPSSBytes}, numberColumn{"fitter_pss_bytes", &r.FitterPSSBytes},
			numberColumn{"cpu_seconds", &r.CPUSeconds}, numberColumn{"cpu_share", &r.CPUShare},
			numberColumn{"sampler_cpu_seconds", &r.SamplerCPUSeconds}, numberColumn{"late_ns", &r.LateNS},
			numberColumn{"skipped", &r.Skipped}, numberColumn{"pss_missing", &r.PSSMissing},
			numberColumn{"generator_cpu_seconds", &r.GeneratorCPUSeconds}, numberColumn{"generator_rss_bytes", &r.GeneratorRSSBytes},
			numberColumn{"generator_open_files", &r.GeneratorOpenFiles},
		); err != nil {
			return err
		}
		return each(&r)
	})
}
