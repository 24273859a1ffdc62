package profiles

import "go.yaml.in/yaml/v3"

// OneLiner makes a profile without a file: one phase at a constant rate against a
// URL. It is checked as a file is; faults name --url, --rate and --duration.
func OneLiner(url, rate, duration string, sets []Set) (*Profile, error) {
	d := &decoder{file: source{name: "--url", flag: true}, from: map[*yaml.Node]source{}}
	flag := func(name, text string) *yaml.Node {
		n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
		d.from[n] = source{name: name, flag: true}
		return n
	}
	phase := tree(
		"name", word("load"),
		"rate", flag("--rate", rate),
		"for", flag("--duration", duration),
	)
	root := tree(
		"name", word("url"),
		"target", tree("url", flag("--url", url)),
		"phases", &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{phase}},
	)
	return d.finish(root, sets, "url")
}
