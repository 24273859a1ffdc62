// Package batch makes many runs and loses none: a plan of trials in an order
// drawn beforehand, a ledger of what became of each, workers that claim one at a
// time, and results that are committed once. The ledger and the committed
// results are the truth; the queue that hands trials out is disposable, and is
// built anew from "planned minus done" whenever a coordinator starts.
package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// A Trial is one run to be made.
type Trial struct {
	ID      string        `json:"id"`      // hash of everything below and of the program's version
	Profile string        `json:"profile"` // hash of the resolved profile, seed put aside
	Name    string        `json:"name"`    // of the profile
	Mode    string        `json:"mode"`    // policy, and variant where there are some
	Seed    uint64        `json:"seed"`    // the same in every mode: trials of one number are pairs
	Number  int           `json:"number"`  // from 1
	Length  time.Duration `json:"length_ns"`

	Generators int `json:"generators,omitempty"` // that make it together; 0 for one worker alone
}

// A Plan is a batch worked out.
type Plan struct {
	Name     string                       `json:"name"`
	Version  string                       `json:"version"` // of the program
	Trials   []Trial                      `json:"trials"`  // in the order in which they are handed out
	Profiles map[string]*profiles.Profile `json:"-"`       // by hash
	Batch    *profiles.Batch              `json:"-"`
}

// A cell is one combination that is compared with others.
type cell struct {
	hash, name, mode string
	profile          *profiles.Profile
	length           time.Duration
}

// NewPlan resolves every profile under every policy and variant, and reports all
// their faults at once. check is asked about each resolved profile; nil for none.
func NewPlan(b *profiles.Batch, version string, check func(*profiles.Profile) error) (*Plan, error) {
	p := &Plan{Name: b.Name, Version: version, Batch: b, Profiles: map[string]*profiles.Profile{}}
	cells, err := p.cells(check)
	if err != nil {
		return nil, err
	}
	seeds := rand.New(arrival.Random(b.Seed, "seeds of trials"))
	order := rand.New(arrival.Random(b.Seed, "order of trials"))
	for number := 1; number <= b.Trials; number++ {
		// A block holds every cell once, in an order of its own: what drifts over
		// the night drifts through all modes alike.
		block := order.Perm(len(cells))
		seed := seeds.Uint64()
		for _, i := range block {
			c := cells[i]
			t := Trial{Profile: c.hash, Name: c.name, Mode: c.mode, Seed: seed, Number: number, Length: c.length, Generators: b.Generators}
			t.ID = t.identity(version)
			p.Trials = append(p.Trials, t)
		}
	}
	return p, nil
}

// identity names a trial by everything its result depends on: an edited profile
// or another program makes another trial.
func (t Trial) identity(version string) string {
	text := fmt.Appendf(nil, "%s\n%s\n%d\n%d\n%s\n", t.Mode, t.Profile, t.Seed, t.Number, version)
	if t.Generators > 0 {
		text = fmt.Appendf(text, "generators %d\n", t.Generators)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func (p *Plan) cells(check func(*profiles.Profile) error) ([]cell, error) {
	b := p.Batch
	policies, variants := b.Policies, b.Variants
	if len(policies) == 0 {
		policies = []string{""}
	}
	if len(variants) == 0 {
		variants = []profiles.Variant{{}}
	}
	var (
		cells  []cell
		faults []error
		seen   = map[string]string{}
	)
	for _, name := range b.Profiles {
		for _, policy := range policies {
			for _, variant := range variants {
				c, err := p.resolve(name, policy, variant, check)
				if err != nil {
					faults = append(faults, err)
					continue
				}
				if twin, ok := seen[c.hash+c.mode]; ok {
					faults = append(faults, fmt.Errorf("batch %s: profile %s is %s again: the two would be the same trials", b.Name, name, twin))
					continue
				}
				seen[c.hash+c.mode] = name
				cells = append(cells, c)
			}
		}
	}
	return cells, errors.Join(faults...)
}

func (p *Plan) resolve(name, policy string, variant profiles.Variant, check func(*profiles.Profile) error) (cell, error) {
	sets := append([]profiles.Set{}, p.Batch.Sets...)
	if policy != "" {
		sets = append(sets, profiles.Set{Key: "target.bundled.policy", Value: policy})
	}
	profile, err := profiles.LoadWith(name, append(sets, variant.Sets...))
	if err == nil && check != nil {
		err = check(profile)
	}
	if err != nil {
		return cell{}, err
	}
	schedule, err := profile.Schedule()
	if err != nil {
		return cell{}, err
	}
	c := cell{hash: seedless(profile), name: profile.Name, profile: profile, length: schedule.Duration() + profile.DrainTimeout}
	switch b := profile.Target.Bundled; {
	case b != nil:
		c.mode = b.Policy.Name
	default:
		c.mode = "url"
	}
	if variant.Name != "" {
		c.mode += "." + variant.Name
	}
	p.Profiles[c.hash] = profile
	return c, nil
}

// Bundled reports whether any trial has a node of ours for its target.
func (p *Plan) Bundled() bool {
	for _, profile := range p.Profiles {
		if profile.Target.Bundled != nil {
			return true
		}
	}
	return false
}

// Duration is how long all trials take one after the other on one worker: their
// schedules, drains at their longest, and the pauses between them.
func (p *Plan) Duration() time.Duration {
	var sum time.Duration
	for i, t := range p.Trials {
		sum += t.Length
		if i > 0 {
			sum += p.Batch.Cooldown
		}
	}
	return sum
}
