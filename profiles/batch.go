package profiles

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"time"

	"go.yaml.in/yaml/v3"

	"edgebench/profiles/arrival"
)

// A Batch says which runs to make: every profile under every policy and variant,
// each for a number of trials.
type Batch struct {
	Name     string
	Profiles []string  // files or embedded names, at least one
	Policies []string  // of the bundled node; none: the profile's own
	Variants []Variant // settings to compare; none: the profile as it is
	Sets     []Set     // applied to every run, before those of a variant

	Trials   int           // of each combination, 1 … 10,000 [10]
	Seed     uint64        // of the order and of the trials' seeds [1]
	Cooldown time.Duration // pause between two trials of a worker, ≥ 0 [1 s]
	Retries  int           // of a trial that failed, 0 … 100 [1]
	Deadline string        // time of day, as 06:30, after which no trial may still run [none]

	// MaxInvalid is the share of trials that may be invalid, 0 … 1, before the
	// whole batch is [0.2].
	MaxInvalid float64

	// Generators is how many workers of that role send each trial together, 1 …
	// arrival.MaxShares, with the bundled node on a target worker; 0 has one
	// worker make a trial alone [0].
	Generators int
	Target     string // name of the worker that keeps the node; "" for any of that role
}

// A Variant is a named set of settings.
type Variant struct {
	Name string
	Sets []Set
}

// LoadBatch reads a batch file. The error is Faults, or about the file.
func LoadBatch(name string) (*Batch, error) {
	data, err := readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("batch %s: %w", name, os.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	return ParseBatch(name, data)
}

// ParseBatch reads one batch file as strictly as a profile.
func ParseBatch(filename string, data []byte) (*Batch, error) {
	d := &decoder{file: source{name: filename}, from: map[*yaml.Node]source{}}
	root, faults := d.file.readTree(data)
	if len(faults) > 0 {
		return nil, faults.err()
	}
	b := d.batch(value{d: d, node: root}, profileName(filename))
	return b, d.faults.err()
}

// defaultBatch is what holds for keys that are left out.
func defaultBatch(name string) *Batch {
	return &Batch{Name: name, Trials: 10, Seed: 1, Cooldown: time.Second, Retries: 1, MaxInvalid: 0.2}
}

func (d *decoder) batch(v value, name string) *Batch {
	b := defaultBatch(name)
	o, ok := v.object()
	if !ok {
		return b
	}
	d.name(o, &b.Name)
	if v, ok := o.required("profiles"); ok {
		v.lines(&b.Profiles)
		if len(b.Profiles) == 0 && v.node.Kind == yaml.SequenceNode {
			v.fault("no profiles")
		}
	}
	if v, ok := o.field("policies"); ok {
		v.lines(&b.Policies)
		v.unique(b.Policies)
	}
	if v, ok := o.field("sets"); ok {
		v.sets(&b.Sets)
	}
	if v, ok := o.field("variants"); ok {
		variants, _ := v.object()
		for _, e := range variants.entries {
			variant := Variant{Name: e.name}
			if !namePattern.MatchString(e.name) {
				e.value.fault("%q: a variant's name is letters, digits, '.', '_' and '-'", clip(e.name))
			}
			e.value.sets(&variant.Sets)
			b.Variants = append(b.Variants, variant)
		}
	}
	o.integer("trials", &b.Trials, 1, maxTrials)
	if v, ok := o.field("seed"); ok {
		v.seed(&b.Seed)
	}
	o.integer("generators", &b.Generators, 1, arrival.MaxShares)
	if v, ok := o.field("target"); ok && v.line(&b.Target) && b.Generators == 0 {
		v.fault("goes with generators: a worker that makes a trial alone keeps the node itself")
	}
	o.duration("cooldown", &b.Cooldown, 0, maxCooldown)
	o.integer("retries", &b.Retries, 0, maxRetries)
	if v, ok := o.field("deadline"); ok && v.line(&b.Deadline) {
		if _, err := time.Parse("15:04", b.Deadline); err != nil {
			v.fault("%q is not a time of day such as 06:30 (in quotes)", clip(b.Deadline))
		}
	}
	if v, ok := o.field("max_invalid"); ok {
		var share float64
		if v.number(&share) {
			if share < 0 || share > 1 || math.IsNaN(share) {
				v.fault("%v: outside 0 to 1", share)
			}
			b.MaxInvalid = share
		}
	}
	o.close()
	return b
}

// sets reads a list of "key=value".
func (v value) sets(dst *[]Set) {
	var lines []string
	v.lines(&lines)
	for i, text := range lines {
		s, err := ParseSet(text)
		if err != nil {
			items, _ := v.list()
			items[i].fault("%q: write key=value", clip(text))
			continue
		}
		*dst = append(*dst, s)
	}
}

// unique reports texts that are there twice.
func (v value) unique(texts []string) {
	seen := map[string]bool{}
	items, _ := v.list()
	for i, text := range texts {
		if seen[text] && i < len(items) {
			items[i].fault("%q is there twice", clip(text))
		}
		seen[text] = true
	}
}
