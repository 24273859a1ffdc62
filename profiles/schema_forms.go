package profiles

import (
	"encoding/json"
	"strconv"
	"time"

	"edgebench/profiles/schema"
)

// The forms of values that the keys of profiles and batches take, as unit parsers
// and readers have them. Patterns are no stricter than these: a rule over several
// keys, or the largest rate, is told by loadgen check alone.

const durationPattern = `^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h|d))+$`

// durationForm is a time with its unit; a bound of 1 ns reads "above 0".
func durationForm(least, most time.Duration) *schema.Schema {
	title := "duration"
	switch {
	case least == 1:
		title += " above 0"
	case least > 0:
		title += " from " + formatDuration(least)
	}
	if most < maxUnbounded {
		title += " up to " + formatDuration(most)
	}
	s := schema.Text(title, durationPattern)
	s.Shortest, s.Longest = least, most
	return s
}

// maxUnbounded is a length that nobody wants to read about.
const maxUnbounded = 50 * 365 * 24 * time.Hour

func sizeForm(most int64) *schema.Schema {
	s := schema.Text("size up to "+formatSize(most), `^\d+(\.\d+)?(B|KB|MB|GB|KiB|MiB|GiB)$`)
	s.Largest = most
	return s
}

// levelForm is one rate.
func levelForm() *schema.Schema {
	s := schema.AnyOf(
		schema.Text("", `^(\d+(\.\d+)?|\.\d+)[kM]?/[smh]$`),
		&schema.Schema{Type: "integer", Enum: []any{0}},
	)
	s.Title = "rate"
	return s
}

// rateForm is a rate over a phase.
func rateForm() *schema.Schema {
	return schema.AnyOf(levelForm(),
		schema.Object(
			schema.Needed("from", "rate at the beginning of a linear ramp", levelForm()),
			schema.Needed("to", "rate at its end", levelForm())),
		schema.Named("sine", schema.Object(
			schema.Needed("mean", "above 0", levelForm()),
			schema.Needed("amplitude", "at most the mean", levelForm()),
			schema.Needed("period", "of the sine", durationForm(time.Millisecond, lengthLimit)),
			schema.Key("offset", "where in its period the sine begins, below the period", durationForm(0, lengthLimit).Or("0s")))),
		schema.Named("steps", listOfSome(schema.Object(
			schema.Needed("rate", "of the step", levelForm()),
			schema.Needed("for", "how long it holds; the steps repeat to the end of the phase", durationForm(1, lengthLimit))))))
}

func listOfSome(items *schema.Schema) *schema.Schema {
	s := schema.List(items)
	s.LeastItems = 1
	return s
}

// lineForm is text without line ends and control characters.
func lineForm() *schema.Schema { return schema.Text("text", "") }

func fileForm() *schema.Schema { return schema.Text("file", `.`) }

func hostPortForm() *schema.Schema { return schema.Text("HOST:PORT", `.:\d+$`) }

// countForm is a whole number of a range.
func countForm(least, most int64) *schema.Schema {
	return schema.Integer(whole(least), whole(most))
}

func whole(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

func seedForm(otherwise uint64) *schema.Schema {
	return schema.Integer("0", "18446744073709551615").Or(json.Number(strconv.FormatUint(otherwise, 10)))
}

// scalarForm is whatever is no mapping and no list.
func scalarForm() *schema.Schema {
	return schema.AnyOf(schema.Text("text", ""), schema.Number(), schema.Boolean())
}
