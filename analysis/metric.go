package analysis

// A kind is what a limit may be written in.
type kind int

const (
	aDuration kind = iota // 900ms
	aCount                // 12, or 10% of the metric's whole
	aShare                // 1%, or 0.01
	aRate                 // 20/s
)

// A metric is a number of an account; whole is what a percentage of it refers to.
type metric struct {
	kind  kind
	value func(*Account) *float64
	whole func(*Account) uint64
}

// metrics is every name a threshold may use.
func metrics() map[string]metric {
	ok := func(a *Account) uint64 { return a.Counts.OK }
	sent := func(a *Account) uint64 { return a.Counts.Sent }
	scheduled := func(a *Account) uint64 { return a.Counts.Scheduled }
	count := func(of func(*Account) uint64, whole func(*Account) uint64) metric {
		return metric{aCount, func(a *Account) *float64 { return new(float64(of(a))) }, whole}
	}
	nullable := func(of func(*Account) *uint64, whole func(*Account) uint64) metric {
		return metric{aCount, func(a *Account) *float64 { return floating(of(a)) }, whole}
	}
	all := map[string]metric{
		"cold.truth":         nullable(func(a *Account) *uint64 { return a.Cold.Truth }, ok),
		"cold.by_threshold":  nullable(func(a *Account) *uint64 { return a.Cold.ByThreshold }, ok),
		"cold.precision":     {aShare, func(a *Account) *float64 { return a.Cold.Precision }, nil},
		"cold.recall":        {aShare, func(a *Account) *float64 { return a.Cold.Recall }, nil},
		"counts.scheduled":   count(scheduled, scheduled),
		"counts.sent":        count(sent, scheduled),
		"counts.dropped":     count(func(a *Account) uint64 { return a.Counts.Dropped }, scheduled),
		"counts.ok":          count(ok, sent),
		"counts.errors":      count(func(a *Account) uint64 { return a.Counts.Errors }, sent),
		"counts.open_at_end": count(func(a *Account) uint64 { return a.Counts.OpenAtEnd }, sent),
		"late_share":         {aShare, func(a *Account) *float64 { return a.LateShare }, nil},
		"error_rate":         {aShare, func(a *Account) *float64 { return share(a.Counts.Errors, a.Counts.Sent) }, nil},
		"drop_rate":          {aShare, func(a *Account) *float64 { return share(a.Counts.Dropped, a.Counts.Scheduled) }, nil},
		"rate.offered":       {aRate, func(a *Account) *float64 { return a.Rate.OfferedRPS }, nil},
		"rate.sent":          {aRate, func(a *Account) *float64 { return a.Rate.SentRPS }, nil},
		"rate.ok":            {aRate, func(a *Account) *float64 { return a.Rate.OKRPS }, nil},
		"rate.error":         {aRate, func(a *Account) *float64 { return a.Rate.ErrorRPS }, nil},
	}
	for name, of := range map[string]func(*Account) *Distribution{
		"lag":          func(a *Account) *Distribution { return &a.Lag },
		"connect_wait": func(a *Account) *Distribution { return &a.ConnectWait },
		"service":      func(a *Account) *Distribution { return &a.Service },
		"response":     func(a *Account) *Distribution { return &a.Response },
	} {
		for part, value := range map[string]func(*Distribution) *int64{
			"min":  func(d *Distribution) *int64 { return d.MinNS },
			"mean": func(d *Distribution) *int64 { return d.MeanNS },
			"p50":  func(d *Distribution) *int64 { return d.P50NS },
			"p90":  func(d *Distribution) *int64 { return d.P90NS },
			"p95":  func(d *Distribution) *int64 { return d.P95NS },
			"p99":  func(d *Distribution) *int64 { return d.P99NS },
			"p999": func(d *Distribution) *int64 { return d.P999NS },
			"max":  func(d *Distribution) *int64 { return d.MaxNS },
		} {
			all[name+"."+part] = metric{aDuration, func(a *Account) *float64 { return floating(value(of(a))) }, nil}
		}
	}
	return all
}

func floating[T int64 | uint64](v *T) *float64 {
	if v == nil {
		return nil
	}
	return new(float64(*v))
}
