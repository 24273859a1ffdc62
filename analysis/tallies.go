package analysis

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"edgebench/analysis/rundir"
)

// ReadAccounts gives a tally for each phase and function of the run, and what is
// wrong with the files they came from. Two accounts exist: the producer's own
// and the rows, counted again here. Where both are whole they have to agree;
// where one is not, the other counts.
func ReadAccounts(run *rundir.Run) (rundir.Accounts, []string, error) {
	return readAccounts(run, func(*rundir.Sample) {})
}

// readAccounts is ReadAccounts that shows each row that counts to see.
func readAccounts(run *rundir.Run, see func(*rundir.Sample)) (rundir.Accounts, []string, error) {
	m := run.Manifest
	none := rundir.Accounts{}
	kept, err := rundir.ReadTotals(run.Dir, m)
	noTotals := errors.Is(err, fs.ErrNotExist)
	var faults []error
	switch {
	case err == nil:
		faults = append(faults, eachTally(run, kept, func(_ int, t *rundir.Tally) error { return t.Check() }))
	case !noTotals:
		faults = append(faults, err)
	}
	counted, notes, err := countRows(run, kept, see)
	noRows := errors.Is(err, fs.ErrNotExist)
	if !noRows {
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return none, nil, err
	}
	warnings := notes.Warnings(rundir.SamplesFile)
	switch {
	case noRows && noTotals:
		return counted, []string{"neither " + rundir.TotalsFile + " nor " + rundir.SamplesFile + ": no request is known"}, nil
	case noTotals:
		return counted, append(warnings, rundir.TotalsFile+" is missing: counted from the rows; requests without a row are not known"), nil
	case noRows:
		warnings = append(warnings, rundir.SamplesFile+" is missing: nothing checks the counters")
	}
	warnings = append(warnings, missingRows(m)...)
	damaged := notes.Torn != "" || notes.NaNRows > 0
	missing := m.RowsLost + m.RowsSkipped
	if !noRows && !damaged && missing == 0 {
		switch err := rundir.CheckHistograms(run.Dir, m, kept); {
		case errors.Is(err, fs.ErrNotExist):
			warnings = append(warnings, rundir.HistogramsFile+" is missing: the quantiles are of the rows")
		case err != nil:
			warnings = append(warnings, strings.TrimPrefix(err.Error(), run.Dir+string(filepath.Separator))+"; the quantiles are of the rows")
		}
		rows := counted.All()
		return counted, warnings, eachTally(run, kept, func(k int, t *rundir.Tally) error { return agree(t, rows[k]) })
	}
	// Fewer rows than requests, and we know why: the quantiles are in the histograms.
	if !noRows && !damaged {
		if err := countsAgree(kept, counted, missing); err != nil {
			return none, nil, rundir.Unreadable(fmt.Errorf("%s: %w", run.Dir, err))
		}
	}
	return kept, warnings, rundir.ReadHistograms(run.Dir, m, kept)
}

// missingRows says which requests have no row, and that no number lacks them.
func missingRows(m *rundir.Manifest) []string {
	var out []string
	if m.RowsSkipped > 0 {
		out = append(out, fmt.Sprintf("%d of the requests have no row in %s: above a stated rate only some do; counters and quantiles are of all requests",
			m.RowsSkipped, rundir.SamplesFile))
	}
	if m.RowsLost > 0 {
		out = append(out, fmt.Sprintf("%d rows of %s were lost because writing was slower than the load; counters and quantiles are complete",
			m.RowsLost, rundir.SamplesFile))
	}
	return out
}

// countsAgree checks that rows and rows that are missing for a known reason are
// all requests: a request without either would be lost.
func countsAgree(kept, rows rundir.Accounts, missing uint64) error {
	all, have := rundir.Sum(kept.Phases).Scheduled, rundir.Sum(rows.Phases).Scheduled
	if all != have+missing {
		return fmt.Errorf("%w: %d scheduled in %s, but %d rows in %s and %d lost or left out",
			rundir.ErrConservation, all, rundir.TotalsFile, have, rundir.SamplesFile, missing)
	}
	return nil
}

// eachTally checks the tallies one after the other, in the order of All, and
// names the first at fault.
func eachTally(run *rundir.Run, a rundir.Accounts, check func(k int, t *rundir.Tally) error) error {
	for k, t := range a.All() {
		err := check(k, t)
		if err == nil {
			continue
		}
		if f := k - len(a.Phases); f >= 0 {
			return rundir.Unreadable(fmt.Errorf("%s: function %q: %w", run.Dir, run.Manifest.Functions[f], err))
		}
		p := run.Manifest.Phases[k]
		return rundir.Unreadable(fmt.Errorf("%s: phase %q of cycle %d: %w", run.Dir, p.Name, p.Cycle, err))
	}
	return nil
}

// countRows makes tallies of samples.csv.zst. The threshold is the one the
// producer counted with, where there is its account.
func countRows(run *rundir.Run, kept rundir.Accounts, see func(*rundir.Sample)) (rundir.Accounts, rundir.ReadNotes, error) {
	threshold := time.Duration(run.Manifest.ColdThresholdNS)
	if len(kept.Phases) > 0 {
		threshold = kept.Phases[0].ColdThreshold
	}
	counted := rundir.NewAccounts(run.Manifest, threshold)
	notes, err := rundir.ReadSamples(run.Dir, func(s *rundir.Sample) error {
		if err := counted.Add(s); err != nil {
			return rundir.Unreadable(fmt.Errorf("%s: %w", filepath.Join(run.Dir, rundir.SamplesFile), err))
		}
		see(s)
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
		{"summed wait for connections", kept.ConnectWait.Sum, rows.ConnectWait.Sum},
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
