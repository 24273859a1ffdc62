package rundir

import (
	"encoding/json"
	"fmt"
	"time"
)

// tallyJSON is the form of a Tally in files. The sums are written for readers
// and checked, not trusted, when read back.
type tallyJSON struct {
	Scheduled uint64            `json:"scheduled"`
	Sent      uint64            `json:"sent"`
	Dropped   uint64            `json:"dropped"`
	OK        uint64            `json:"ok"`
	Errors    uint64            `json:"errors"`
	OpenAtEnd uint64            `json:"open_at_end"`
	ByClass   map[string]uint64 `json:"errors_by_class"`
	ByReason  map[string]uint64 `json:"dropped_by_reason"`
	Paths     map[string]uint64 `json:"paths"`
	Cold      ColdCounts        `json:"cold"`
	Threshold int64             `json:"cold_threshold_ns"`
	Bytes     uint64            `json:"received_bytes"`
	Lag       *Distribution     `json:"lag"`
	Connect   *Distribution     `json:"connect_wait"`
	Service   *Distribution     `json:"service"`
	Response  *Distribution     `json:"response"`
	Failed    *Distribution     `json:"failed"`
}

// unmarkedPath names PathUnknown, whose own name is empty.
const unmarkedPath = "unmarked"

func pathKey(p Path) string {
	if p == PathUnknown {
		return unmarkedPath
	}
	return p.String()
}

// MarshalJSON writes every counter; classes, reasons and paths that did not
// occur are left out.
func (t *Tally) MarshalJSON() ([]byte, error) {
	j := tallyJSON{
		Scheduled: t.Scheduled, Sent: t.Sent(), Dropped: t.Dropped(),
		OK: t.OK(), Errors: t.Errors(), OpenAtEnd: t.OpenAtEnd(),
		ByClass: t.ErrorsByClass(), ByReason: t.DroppedByReason(), Paths: map[string]uint64{},
		Cold: t.Cold, Threshold: int64(t.ColdThreshold), Bytes: t.Bytes,
		Lag: &t.Lag, Connect: &t.ConnectWait, Service: &t.Service, Response: &t.Response, Failed: &t.Failed,
	}
	for p, n := range t.Paths {
		if n > 0 {
			j.Paths[pathKey(Path(p))] = n
		}
	}
	return json.Marshal(j)
}

// ErrorsByClass is the number of errors of each class that occurred.
func (t *Tally) ErrorsByClass() map[string]uint64 {
	classes := map[string]uint64{}
	for o, n := range t.Outcomes {
		if n > 0 && Outcome(o).IsError() {
			classes[Outcome(o).String()] = n
		}
	}
	return classes
}

// DroppedByReason is the number of dropped requests of each reason that occurred.
func (t *Tally) DroppedByReason() map[string]uint64 {
	reasons := map[string]uint64{}
	for d, n := range t.Drops {
		if n > 0 {
			reasons[DropReason(d).String()] = n
		}
	}
	return reasons
}

// UnmarshalJSON reads what MarshalJSON wrote. A class, reason or path it does
// not know and sums that do not hold are errors; the counters of the
// distributions come from a histogram file (Distribution.SetHDR).
func (t *Tally) UnmarshalJSON(text []byte) error {
	var out Tally
	j := tallyJSON{Lag: &out.Lag, Connect: &out.ConnectWait, Service: &out.Service, Response: &out.Response, Failed: &out.Failed}
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	out.ColdThreshold = time.Duration(j.Threshold)
	out.Scheduled, out.Bytes, out.Cold = j.Scheduled, j.Bytes, j.Cold
	out.Outcomes[OK], out.Outcomes[Dropped], out.Outcomes[OpenAtEnd] = j.OK, j.Dropped, j.OpenAtEnd
	for name, n := range j.ByClass {
		o, ok := ParseOutcome(name)
		if !ok || !o.IsError() {
			return fmt.Errorf("errors_by_class: unknown class %q", name)
		}
		out.Outcomes[o] = n
	}
	for name, n := range j.ByReason {
		d, ok := ParseDropReason(name)
		if !ok {
			return fmt.Errorf("dropped_by_reason: unknown reason %q", name)
		}
		out.Drops[d] = n
	}
	for name, n := range j.Paths {
		p := ParsePath([]byte(name))
		if p == PathUnknown && name != unmarkedPath {
			return fmt.Errorf("paths: unknown path %q", name)
		}
		out.Paths[p] = n
	}
	if out.Errors() != j.Errors || out.Sent() != j.Sent {
		return fmt.Errorf("%w: sent %d and errors %d, the classes add up to %d and %d",
			ErrConservation, j.Sent, j.Errors, out.Sent(), out.Errors())
	}
	*t = out
	return nil
}

// ParseOutcome is the inverse of Outcome.String.
func ParseOutcome(name string) (Outcome, bool) {
	for o, known := range outcomeNames {
		if name == known {
			return Outcome(o), true
		}
	}
	return 0, false
}

// ParseDropReason is the inverse of DropReason.String; the empty name is DropNone.
func ParseDropReason(name string) (DropReason, bool) {
	for d, known := range dropNames {
		if name == known {
			return DropReason(d), true
		}
	}
	return 0, false
}
