package profiles

import "edgebench/profiles/schema"

func targetForm(policies *schema.Schema) *schema.Schema {
	s := schema.Object(
		schema.Key("bundled", "a node of ours, started for the run and stopped with it; {} has all defaults", bundledForm(policies)),
		schema.Key("url", "somebody else's endpoint; the path may stand here or in request", schema.Text("http:// or https:// URL", `^https?://.`)),
		schema.Key("transport", "what sends: by itself whichever can", schema.Words("auto", "epoll", "client").Or("auto")),
		schema.Key("tls", "for https", schema.Object(
			schema.Key("server_name", "in the handshake and in the certificate; the url's host by default", lineForm()),
			schema.Key("ca", "PEM file trusted instead of the system's roots", fileForm()),
			schema.Key("cert", "PEM file of our own certificate, with key", fileForm()),
			schema.Key("key", "PEM file of its key", fileForm()),
			schema.Key("insecure", "the peer's certificate is not verified", schema.Boolean().Or(false)))),
		schema.Key("unix_socket", "to connect to; @ begins an abstract one", lineForm()),
		schema.Key("proxy", "asked for a tunnel", schema.Text("http://[user:password@]host:port", `^http://.+:\d+/?$`)),
		schema.Key("connect_to", "where to connect instead of the url's host", hostPortForm()),
		schema.Key("resolve", "addresses of the host, instead of a lookup", schema.AnyOf(schema.Text("IP address", `^[0-9a-fA-F:.]+`), schema.List(schema.Text("IP address", `^[0-9a-fA-F:.]+`)))),
		schema.Key("name_server", "instead of the system's", hostPortForm()),
		schema.Key("dns_ttl", "how long an answer of the name server holds", durationForm(1, lengthLimit)),
		schema.Key("family", "of addresses; both by default", &schema.Schema{Type: "integer", Enum: []any{4, 6}}),
		schema.Key("connect_timeout", "for name, address, proxy and handshake together; the request's timeout by default", durationForm(1, lengthLimit)),
		schema.Key("keep_alive", "false: a connection carries one request only", schema.Boolean().Or(true)),
	)
	s.AnyOf = []*schema.Schema{{Required: []string{"bundled"}}, {Required: []string{"url"}}}
	return s
}

func bundledForm(policies *schema.Schema) *schema.Schema {
	b := defaultBundled()
	if policies == nil {
		policies = schema.AnyOf(schema.Text("name of a policy", policyName.String()), schema.Map(policyName.String(), PolicyParameters(nil)))
	}
	work := schema.Words("sleep", "cpu", "image")
	service := durationForm(0, lengthLimit)
	return schema.Object(
		schema.Key("policy", "how many workers there are (loadgen list policies)", policies.Or(b.Policy.Name)),
		schema.Key("workers", "for policies that need a number; 0: the policy's own", countForm(0, maxWorkers).Or(b.Workers)),
		schema.Key("dispatch", "which worker gets a request (loadgen list dispatch); the policy's own by default", schema.Text("rule, as lifo or probabilistic:3,2,1", dispatchRule.String())),
		schema.Key("worker", "runtime of a worker", schema.Words("fork", "exec", "python", "python-exec").Or(b.Worker)),
		schema.Key("work", "what a worker does with the service time", schema.AnyOf(work, schema.Object(schema.Key("kind", "the same", work))).Or(b.Work)),
		schema.Key("service", "time a worker takes for a request", schema.AnyOf(service,
			schema.Named("fixed", service), schema.Named("exponential", durationForm(1, lengthLimit))).Or(formatDuration(b.Service.Mean))),
		schema.Key("miss", "what becomes of a request that finds no idle worker", schema.AnyOf(schema.Words("queue", "spawn", "oneoff"),
			schema.Named("oneoff", schema.Object(schema.Key("after", "how long it waits before a worker of its own is started", durationForm(0, lengthLimit).Or(formatDuration(b.Miss.After)))))).Or(b.Miss.Kind)),
		schema.Key("queue_limit", "requests waiting before others get 503; 0: no limit", countForm(0, maxQueue).Or(b.QueueLimit)),
		schema.Key("idle_timeout", "an idle worker is stopped after this", durationForm(1, lengthLimit).Or(formatDuration(b.IdleTimeout))),
		schema.Key("scavenge", "period of looking for them", durationForm(1, lengthLimit).Or(formatDuration(b.Scavenge))),
		schema.Key("tick", "period of the policy", durationForm(1, lengthLimit).Or(formatDuration(b.Tick))),
		schema.Key("tick_phase", "first tick after the start, below tick; the node's choice by default", durationForm(0, lengthLimit)),
		schema.Key("max_workers", "at most so many at once", countForm(1, maxWorkers).Or(b.MaxWorkers)),
		schema.Key("tokens", "requests a worker admits; 0: the policy's own", countForm(0, maxQueue).Or(b.Tokens)),
		schema.Key("servers", "of these, executed at once; 0: 1", countForm(0, maxServers).Or(b.Servers)),
		schema.Key("reactors", "event loops of the node", countForm(1, maxLoops).Or(b.Reactors)),
		schema.Key("heap", "memory that a worker has touched", sizeForm(maxHeap).Or(formatSize(b.Heap))),
		schema.Key("start_delay", "simulated cost added to every start of a pool worker", durationForm(0, lengthLimit).Or(formatDuration(b.StartDelay))),
	)
}

// PolicyParameters is the form of a policy's parameters: these keys, or any where
// there are none to name.
func PolicyParameters(fields []schema.Field) *schema.Schema {
	if fields == nil {
		return schema.Map(paramName.String(), PolicyParameter())
	}
	return schema.Object(fields...)
}

// PolicyParameter is a number, or true and false for 1 and 0.
func PolicyParameter() *schema.Schema {
	s := schema.AnyOf(schema.Number(), schema.Boolean())
	s.Title = "number"
	return s
}
