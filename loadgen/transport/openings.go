package transport

const (
	// openAtOnce connects may begin together, and openEvery nanoseconds another:
	// 5,000 a second.
	openAtOnce = 128
	openEvery  = int64(200e3)
)

// Openings bounds how fast a shard opens connections during a run. A server that
// pauses for a moment leaves as many requests without a connection as came in
// it; a connect for each costs both sides more than the requests do, and near
// capacity they would never recover. Those that get no connect wait for a
// connection in use, and their lag shows it. The zero value is full.
type Openings struct {
	spent int64 // instant, on the run's clock, at which the bound is full again
}

// Take allows a connect at the instant now, or not.
func (o *Openings) Take(now int64) bool {
	if o.Next() > now {
		return false
	}
	o.spent = max(o.spent, now) + openEvery
	return true
}

// Next is when the next connect is allowed.
func (o *Openings) Next() int64 { return o.spent - (openAtOnce-1)*openEvery }
