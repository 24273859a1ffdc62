package profiles

import (
	"math"
	"time"

	"edgebench/profiles/arrival"
	"edgebench/profiles/schema"
)

const lengthLimit = arrival.MaxLength

// ProfileSchema is what a profile may hold. policies is what stands for
// target.bundled.policy, of which a profile knows only the form; nil for that.
func ProfileSchema(policies *schema.Schema) *schema.Schema {
	p := defaultProfile("")
	s := schema.Object(
		schema.Key("name", "part of the names of run directories; the file's name by default", schema.Text("letters, digits, '.', '_', '-'; at most 64", namePattern.String())),
		schema.Key("description", "one line", lineForm()),
		schema.Key("seed", "of everything drawn: the same seed, the same requests at the same instants", seedForm(p.Seed)),
		schema.Needed("target", "where requests go: bundled or url", targetForm(policies)),
		schema.Key("request", "what is sent", requestForm()),
		schema.Key("functions", "who is called, where there are several; a trace has its own", listOfSome(functionForm())),
		schema.Key("streams", "with functions: one stream of arrivals divided by lot, or the law for each apart", schema.Words(SharedStreams, OwnStreams).Or(SharedStreams)),
		schema.Key("arrivals", "how arrivals scatter around the rate, or recorded ones in its place", arrivalsForm().Or(p.Arrivals.Law)),
		schema.Key("phases", "one cycle; needed unless the arrivals are recorded", listOfSome(phaseForm())),
		schema.Key("cycles", "repeats the phases", cyclesForm(p.Cycles)),
		schema.Key("precision", "how the generator waits for an instant", schema.AnyOf(
			schema.Words("exact", "quantum", "spin"),
			schema.Named("quantum", durationForm(leastQuantum, mostQuantum))).Or("exact")),
		schema.Key("late", "what becomes of a request that could not be sent at its instant", lateForm().Or("send")),
		schema.Key("shards", "event loops of the generator; 0: what the rate needs", countForm(0, mostShards).Or(0)),
		schema.Key("rows", "which requests are kept one by one; counters and quantiles are of all", schema.AnyOf(
			schema.Words("auto", "all"),
			schema.Named("sample", schema.Text("share such as 1/10", `^1/[1-9]\d*$`))).Or("auto")),
		schema.Key("cold", "how a cold start shows; one of header, json and instance_id", coldForm(p.Cold)),
		schema.Key("monitor", "the sampler", schema.Object(
			schema.Key("interval", "of samples of memory and CPU", durationForm(leastInterval, mostInterval).Or(formatDuration(p.Monitor.Interval))))),
		schema.Key("drain_timeout", "wait for open requests after the last phase", durationForm(0, lengthLimit).Or(formatDuration(p.DrainTimeout))),
		schema.Key("max_in_flight", "sent and unanswered at once, above it requests are dropped; 0: automatic", countForm(0, math.MaxInt32).Or(0)),
		schema.Key("connections", "opened before the first phase; 0: automatic", countForm(0, math.MaxInt32).Or(0)),
		schema.Key("thresholds", "conditions the run has to meet, else exit 10 (docs/thresholds.md)", schema.List(schema.Text("[PART.]METRIC < LIMIT", `[<>]`))),
	)
	s.Title = "Keys of a profile"
	s.Description = `What to send, to whom, in which phases. A duration has its unit (500ms, 1m30s, 1.5h, 2d), as a rate has (2/s, 6/m, 0.1/h,
2k/s, 1.5M/s; 0 alone is silence) and a size (512B, 100MB, 64MiB). Files are relative to the working directory. An unknown
key is an error.`
	return s
}

func phaseForm() *schema.Schema {
	s := schema.Object(
		schema.Needed("name", "its own in the profile", schema.Text("letters, digits, '_', '-'; at most 64", phaseName.String())),
		schema.Key("rate", "needed unless the arrivals are recorded", rateForm()),
		schema.Key("for", "how long the phase is; this or count", durationForm(1, lengthLimit)),
		schema.Key("count", "ends the last phase after so many arrivals; at a constant rate, without cycles", countForm(1, arrival.MaxHashed)),
		schema.Key("measure", "the phase whose cold starts the report sets apart", schema.Words("cold")),
	)
	s.AnyOf = []*schema.Schema{{Required: []string{"for"}}, {Required: []string{"count"}}}
	return s
}

func cyclesForm(c Cycles) *schema.Schema {
	change := schema.Object(
		schema.Key("for", "another length", durationForm(1, lengthLimit)),
		schema.Key("rate", "another rate", rateForm()))
	change.Least = 1
	return schema.Object(
		schema.Key("count", "how often the phases are played", countForm(1, maxFlattened).Or(c.Count)),
		schema.Key("override", "by cycle, from 1, and phase: {1: {warmup: {for: 20s}}}",
			schema.Map(`^[1-9]\d*$`, schema.Map(phaseName.String(), change))),
	)
}

func lateForm() *schema.Schema {
	return schema.AnyOf(
		schema.Words("send", "drop"),
		schema.Named("drop", schema.Object(
			schema.Key("after", "lag from which on a request is dropped, above the quantum", durationForm(1, mostLate).Or(formatDuration(defaultLate))))),
		schema.Named("capped", schema.Text("percentage of the planned rate, 101% to 1000%", percentPattern.String())),
	)
}

func coldForm(c Cold) *schema.Schema {
	header := schema.Text("header name", headerName.String())
	path := schema.Text("path such as items[0].id", jsonPath.String())
	return schema.Object(
		schema.Key("header", "of a response that carries the target's own mark: true, 1, yes, cold, or their opposites", header.Or(c.Header)),
		schema.Key("json", "where the mark is in a JSON body", path),
		schema.Key("instance_id", "the name of the instance, whose first answer counts as cold", schema.AnyOf(
			schema.Named("header", header), schema.Named("json", path))),
		schema.Key("threshold", "response time above which a request counts as cold by threshold", durationForm(1, lengthLimit)),
		schema.Key("auto", "looks for a threshold in the service times of each measured phase", schema.Boolean().Or(c.Auto)),
	)
}

const (
	leastInterval = 10 * time.Millisecond
	mostInterval  = time.Hour
)
