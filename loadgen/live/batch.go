package live

// A Batch is many trials as a page shows them.
type Batch struct {
	Name    string  `json:"name"`
	Done    int     `json:"done"`
	Invalid int     `json:"invalid"`
	Failed  int     `json:"failed"`
	Running int     `json:"running"`
	ToDo    int     `json:"to_do"`
	Left    float64 `json:"left"` // expected seconds to its end, one trial after the other
	Trials  []Trial `json:"trials"`
	Unshown int     `json:"unshown"` // trials that are not in Trials, because there are too many
}

// A Trial is a row of its table.
type Trial struct {
	ID      string  `json:"id"`
	Number  int     `json:"number"`
	Profile string  `json:"profile"`
	Mode    string  `json:"mode"`
	State   string  `json:"state"` // planned | claimed | done | failed
	Verdict string  `json:"verdict"`
	Attempt int     `json:"attempt"`
	Length  float64 `json:"length"` // s, as planned
}

// Batch tells how far a batch is.
func (f *Feed) Batch(b *Batch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.story.Batch, f.fresh.Batch = b, b
	f.flush()
}
