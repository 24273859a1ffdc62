package policy

var sprSpec = Spec{
	Name: "spr",
	Help: "scale per request: one request an instance; a request that finds none idle activates another, at the maximum it waits",
	Cost: "O(1)",
	Miss: "spawn",
	Params: []Param{
		{Name: "keep", Help: "retention period of an idle instance, seconds; 0: the node's idle timeout", Default: 0, Min: 0, Max: 1e6},
	},
	build: func(p values, workers int) Policy {
		return onDemand{keep: seconds(p["keep"]), initial: workers,
			rule: "a request that finds no idle instance activates another; at the maximum it waits in one queue"}
	},
}
