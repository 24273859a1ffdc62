package policy

// The 5 × 3 of the study's final comparison.
const clsTokens = 3

var clsSpec = Spec{
	Name:     "cls",
	Help:     "concurrency-limit scaling: the earliest instance with a free token; when all are taken another instance is activated",
	Cost:     "O(1)",
	Miss:     "spawn",
	Dispatch: "overflow",
	Tokens:   clsTokens,
	Params: []Param{
		{Name: "keep", Help: "retention period of an idle instance, seconds; 0: the node's idle timeout", Default: 0, Min: 0, Max: 1e6},
	},
	build: func(p values, workers int) Policy {
		return onDemand{keep: seconds(p["keep"]), initial: workers,
			rule: "another instance is activated only when every token is taken; at the maximum a request waits in one queue for the next token"}
	},
}
