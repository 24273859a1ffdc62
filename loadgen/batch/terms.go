package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

const termsKey = "terms"

// Terms are what workers have to know of a batch.
type Terms struct {
	Name     string        `json:"name"`
	Version  string        `json:"version"`
	Trials   []Trial       `json:"trials"`
	Cooldown time.Duration `json:"cooldown_ns"`
	Retries  int           `json:"retries"`
	Deadline time.Time     `json:"deadline"` // zero for none
	Timing
}

func (s *Store) readTerms(ctx context.Context) (Terms, error) {
	var t Terms
	texts, err := s.js.ObjectStore(ctx, s.bucket(profileBucket))
	if err != nil {
		return t, fmt.Errorf("no batch in the store: %w", err)
	}
	data, err := texts.GetBytes(ctx, termsKey)
	if err != nil {
		return t, fmt.Errorf("no batch in the store: %w", err)
	}
	return t, json.Unmarshal(data, &t)
}

func (t *Terms) trial(id string) (Trial, bool) {
	for _, trial := range t.Trials {
		if trial.ID == id {
			return trial, true
		}
	}
	return Trial{}, false
}

// fits reports whether a trial begun now ends before the deadline.
func (t *Terms) fits(trial Trial, now time.Time) bool {
	return t.Deadline.IsZero() || !now.Add(trial.Length).After(t.Deadline)
}
