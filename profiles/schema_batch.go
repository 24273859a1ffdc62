package profiles

import (
	"time"

	"edgebench/profiles/arrival"
	"edgebench/profiles/schema"
)

const (
	maxTrials   = 10_000
	maxRetries  = 100
	maxCooldown = time.Hour
)

// BatchSchema is what a batch file may hold; policies is the form of one policy's
// name, nil for any.
func BatchSchema(policies *schema.Schema) *schema.Schema {
	b := defaultBatch("")
	if policies == nil {
		policies = lineForm()
	}
	sets := schema.List(schema.Text("KEY=VALUE", `^[^=]+=`))
	s := schema.Object(
		schema.Key("name", "of the batch and its folder; the file's name by default", schema.Text("letters, digits, '.', '_', '-'; at most 64", namePattern.String())),
		schema.Needed("profiles", "files or embedded names", listOfSome(lineForm())),
		schema.Key("policies", "of the bundled node; the profile's own by default", schema.List(policies)),
		schema.Key("sets", "keys changed in every run", sets),
		schema.Key("variants", "by name: keys changed, to be compared", schema.Map(namePattern.String(), sets)),
		schema.Key("trials", "of each profile, policy and variant", countForm(1, maxTrials).Or(b.Trials)),
		schema.Key("seed", "of the order and of the trials' seeds", seedForm(b.Seed)),
		schema.Key("generators", "workers of that role that send each trial together; none: a worker makes a trial alone", countForm(1, arrival.MaxShares)),
		schema.Key("target", "with generators: the worker that keeps the node; any of that role by default", lineForm()),
		schema.Key("cooldown", "pause between two trials of a worker", durationForm(0, maxCooldown).Or(formatDuration(b.Cooldown))),
		schema.Key("retries", "of a trial that failed", countForm(0, maxRetries).Or(b.Retries)),
		schema.Key("deadline", "after which no trial may still run", schema.Text("time of day such as 06:30, in quotes", `^\d?\d:\d\d$`)),
		schema.Key("max_invalid", "share of trials that may be invalid before the batch is", &schema.Schema{Type: "number", Minimum: "0", Maximum: "1", Default: b.MaxInvalid}),
	)
	s.Title, s.Description = "Keys of a batch file", "Which runs to make, and how often: each profile under each policy and variant, for a number of trials."
	return s
}
