package profiles

import "edgebench/profiles/schema"

func functionForm() *schema.Schema {
	return schema.Object(
		schema.Needed("name", "its own among functions", schema.Text("letters, digits, '.', '_', '-'; at most 64", namePattern.String())),
		schema.Key("weight", "share of the arrivals, relative to the others' weights", schema.Positive("1000000000").Or(1)),
		schema.Key("service", "asked of the node for this function, by the header "+ServiceHeader, durationForm(1, lengthLimit)),
		schema.Key("request", "any key of request, in place of the profile's", requestForm()),
	)
}

func requestForm() *schema.Schema {
	r := defaultRequest()
	return schema.Object(
		schema.Key("method", "in capitals", schema.Text("method", methodName.String()).Or(r.Method)),
		schema.Key("path", "with query; may have placeholders and ${NAME} of the environment. /invoke for the bundled node, else /", schema.Text("path", `^/[^#]*$`)),
		schema.Key("headers", "lines as given, or a mapping; ${NAME} is the environment's", schema.AnyOf(
			schema.List(schema.Text(`"Name: value"`, `^[^:]+:`)),
			schema.Map(headerName.String(), scalarForm()))),
		schema.Key("body", "text with placeholders, or what is in a file", schema.AnyOf(
			schema.Text("text", ""),
			schema.Object(
				schema.Key("file", "sent as it is, or with placeholders", fileForm()),
				schema.Key("template", "the file has placeholders", schema.Boolean().Or(false)),
				schema.Key("base64", "sent decoded", schema.Text("base64", `^[A-Za-z0-9+/=\s]*$`))))),
		schema.Key("csv", "a row a request, from the start again at its end; the first row names the columns", schema.AnyOf(
			fileForm(),
			schema.Object(
				schema.Needed("file", "with a header row", fileForm()),
				schema.Key("order", "of the rows; shuffle is drawn from the seed", schema.Words("sequence", "shuffle").Or("sequence"))))),
		schema.Key("counter", "what {{counter}} counts", schema.Object(
			schema.Key("start", "of the first request", &schema.Schema{Type: "integer", Default: r.Counter.Start}),
			schema.Key("step", "from one request to the next", &schema.Schema{Type: "integer", Default: r.Counter.Step}))),
		schema.Key("auth", "who sends it; secrets may be ${NAME}", authForm()),
		schema.Key("expect", "what a response must be to count as ok; any 2xx by default", expectForm()),
		schema.Key("follow", "redirects are never followed: 0 is all it may be", &schema.Schema{Type: "integer", Enum: []any{0}}),
		schema.Key("timeout", "from the instant it is sent", durationForm(1, lengthLimit).Or(formatDuration(r.Timeout))),
	)
}

func authForm() *schema.Schema {
	secret := schema.Text("text", `.`)
	return schema.AnyOf(
		schema.Words("none"),
		schema.Named("bearer", secret),
		schema.Named("basic", schema.Object(
			schema.Needed("user", "name", secret),
			schema.Needed("password", "its secret", secret))),
		schema.Named("sigv4", schema.Object(
			schema.Needed("service", "of AWS, as lambda", secret),
			schema.Needed("region", "of AWS", secret),
			schema.Needed("access_key", "of the account", secret),
			schema.Needed("secret_key", "its secret", secret),
			schema.Key("session_token", "of temporary credentials", secret))),
	)
}

func expectForm() *schema.Schema {
	status := []*schema.Schema{
		{Type: "integer", Minimum: "100", Maximum: "599"},
		schema.Text("status as 2xx or 200-204", `^([1-5]xx|[1-5]\d\d(-[1-5]\d\d)?)$`),
	}
	return schema.Object(
		schema.Key("status", "one or a list", schema.AnyOf(append(status, schema.List(schema.AnyOf(status...)))...)),
		schema.Key("body", "looked at up to 64 KiB, or to max_body", schema.Object(
			schema.Key("contains", "somewhere in the body", schema.Text("text", "")),
			schema.Key("matches", "somewhere in the body", schema.Text("regular expression (RE2)", "")),
			schema.Key("json", "values of a JSON body by path: {items[0].state: done}", schema.Map(jsonPath.String(), scalarForm())))),
		schema.Key("max_body", "a larger body is an error", sizeForm(1<<40)),
	)
}
