package profiles

import (
	"encoding/json"
	"strconv"
	"time"

	"edgebench/profiles/arrival"
	"edgebench/profiles/arrival/trace"
	"edgebench/profiles/schema"
)

// arrivalsForm is made from the registries of laws and of recordings.
func arrivalsForm() *schema.Schema {
	var bare []string
	var forms []*schema.Schema
	for _, f := range arrival.Families() {
		if len(f.Params) == 0 {
			bare = append(bare, f.Name)
			continue
		}
		var fields []schema.Field
		for _, p := range f.Params {
			fields = append(fields, schema.Needed(p.Name, p.Help, parameterForm(p)))
		}
		forms = append(forms, schema.Named(f.Name, schema.Object(fields...)))
	}
	speed := schema.Key("speed", "2: twice as fast as recorded", schema.Positive(decimalText(maxSpeed)).Or(1))
	forms = append(forms,
		schema.Named("times", schema.AnyOf(
			listOfSome(durationForm(0, lengthLimit-1)),
			schema.Object(schema.Needed("file", "an instant a line: a duration, or a timestamp counted from the earliest", fileForm()), speed))),
		schema.Named("replay", schema.Object(
			schema.Needed("run", "directory of an earlier run", fileForm()), speed,
			schema.Key("scale", "probability that an arrival is played", schema.Positive("1").Or(1)))),
		schema.Named("trace", traceForm(speed)))
	return schema.AnyOf(append([]*schema.Schema{schema.Words(bare...)}, forms...)...)
}

func parameterForm(p arrival.Param) *schema.Schema {
	form := schema.Number()
	if p.Time {
		form = durationForm(1, lengthLimit)
	}
	if p.List {
		return schema.List(form)
	}
	return form
}

func traceForm(speed schema.Field) *schema.Schema {
	var fields []schema.Field
	var formats []*schema.Schema
	for _, f := range trace.Formats() {
		var files []schema.Field
		for _, file := range f.Files {
			key := schema.Key(file.Key, file.Help, fileForm())
			if !file.Optional {
				key = schema.Needed(file.Key, file.Help, fileForm())
			}
			files = append(files, key)
		}
		fields = append(fields, schema.Key(f.Name, f.Help, schema.Object(files...)))
		formats = append(formats, &schema.Schema{Required: []string{f.Name}})
	}
	var spacings []string
	for _, s := range arrival.Spacings() {
		spacings = append(spacings, s.Name)
	}
	chosen := schema.Object(
		schema.Key("top", "the most called", countForm(1, maxFunctions)),
		schema.Key("sample", "drawn by lot", countForm(1, maxFunctions)),
		schema.Key("seed", "of the lot", seedForm(1)),
		schema.Key("ids", "named", listOfSome(lineForm())))
	chosen.Least = 1
	s := schema.Object(append(fields,
		schema.Key("select", "which functions are played", schema.AnyOf(schema.Words("all"), chosen).Or("all")),
		schema.Key("from", "where in the trace to begin", durationForm(0, lengthLimit).Or("0s")),
		schema.Key("for", "how much of the trace; to its end by default", durationForm(1, lengthLimit)),
		speed,
		schema.Key("scale", "2: twice as many calls; single calls can only be thinned", schema.Positive("1000000").Or(1)),
		schema.Key("column", "width of a column, where calls are counted by column", durationForm(time.Millisecond, lengthLimit).Or("1m")),
		schema.Key("spacing", "of calls within a column", schema.Words(spacings...).Or(spacings[0])),
		schema.Key("shift", "false: the first call of a column is on its edge", schema.Boolean().Or(true)))...)
	s.AnyOf = formats
	return s
}

func decimalText(x float64) json.Number { return json.Number(strconv.FormatFloat(x, 'f', -1, 64)) }
