package analysis

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"edgebench/analysis/rundir"
)

// loadTallies gives a tally for each phase of the run, and what is wrong with
// the files it came from. Two accounts exist: the producer's own and the rows,
// counted again here. Where both are whole they have to agree; where one is
// not, the other counts.
func loadTallies(run *rundir.Run) ([]rundir.Tally, []string, error) {
	m := run.Manifest
	kept, err := rundir.ReadTotals(run.Dir, m.Phases)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if err := eachPhase(run, kept, func(i int) error { return kept[i].Check() }); err != nil {
		return nil, nil, err
	}
	counted, notes, err := countRows(run, kept)
	noRows := errors.Is(err, fs.ErrNotExist)
	if err != nil && !noRows {
		return nil, nil, err
	}
	warnings := notes.Warnings(rundir.SamplesFile)
	switch {
	case noRows && kept == nil:
		return counted, []string{"neither " + rundir.TotalsFile + " nor " + rundir.SamplesFile + ": no request is known"}, nil
	case kept == nil:
		return counted, append(warnings, rundir.TotalsFile+" is missing: counted from the rows; requests without a row are not known"), nil
	case noRows:
		warnings = append(warnings, rundir.SamplesFile+" is missing: nothing checks the counters")
	case m.RowsLost > 0:
		warnings = append(warnings, fmt.Sprintf("%d rows of %s were lost because writing was slower than the load; counters and quantiles are complete",
			m.RowsLost, rundir.SamplesFile))
	}
	if noRows || m.RowsLost > 0 || notes.Torn != "" || notes.NaNRows > 0 {
		// Fewer rows than requests, and we know why: the quantiles are in the histograms.
		return kept, warnings, rundir.ReadHistograms(run.Dir, m.Phases, kept)
	}
	return counted, warnings, eachPhase(run, kept, func(i int) error { return agree(&kept[i], &counted[i]) })
}

// eachPhase checks the tallies one after the other and names the first at fault.
func eachPhase(run *rundir.Run, tallies []rundir.Tally, check func(i int) error) error {
	for i := range tallies {
		if err := check(i); err != nil {
			p := run.Manifest.Phases[i]
			return fmt.Errorf("%s: phase %q of cycle %d: %w", run.Dir, p.Name, p.Cycle, err)
		}
	}
	return nil
}

// countRows makes tallies of samples.csv.zst. The threshold is the one the
// producer counted with, where there is its account.
func countRows(run *rundir.Run, kept []rundir.Tally) ([]rundir.Tally, rundir.ReadNotes, error) {
	counted := make([]rundir.Tally, len(run.Manifest.Phases))
	for i := range counted {
		counted[i].ColdThreshold = time.Duration(run.Manifest.ColdThresholdNS)
		if kept != nil {
			counted[i].ColdThreshold = kept[i].ColdThreshold
		}
	}
	notes, err := rundir.ReadSamples(run.Dir, func(s *rundir.Sample) error {
		if int(s.Phase) >= len(counted) {
			return fmt.Errorf("%s: %s: request %d is of phase %d, the manifest has %d phases",
				run.Dir, rundir.SamplesFile, s.Index, s.Phase, len(counted))
		}
		counted[s.Phase].Add(s)
		return nil
	})
	return counted, notes, err
}

// agree compares the producer's account with the rows.
func agree(kept, rows *rundir.Tally) error {
	for _, c := range []struct {
		what       string
		kept, rows any
	}{
		{"scheduled", kept.Scheduled, rows.Scheduled},
		{"outcomes", kept.Outcomes, rows.Outcomes},
		{"drop reasons", kept.Drops, rows.Drops},
		{"paths", kept.Paths, rows.Paths},
		{"cold counts", kept.Cold, rows.Cold},
		{"summed lag", kept.Lag.Sum, rows.Lag.Sum},
		{"summed service time", kept.Service.Sum, rows.Service.Sum},
		{"largest response time", kept.Response.Max, rows.Response.Max},
	} {
		if c.kept != c.rows {
			return fmt.Errorf("%w: %s is %v in %s and %v in %s",
				rundir.ErrConservation, c.what, c.kept, rundir.TotalsFile, c.rows, rundir.SamplesFile)
		}
	}
	return nil
}
