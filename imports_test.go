// Package edgebench holds only this test: the import graph of DESIGN.md.
package edgebench

import (
	"os/exec"
	"strings"
	"testing"
)

// allowed maps a package (or a tree, with /...) to what it may import of the
// project. The most specific entry counts. Reasons stand beside the rules.
var allowed = []struct {
	pkg, may, why string
}{
	{"loadgen", "*", "the program joins everything"},
	{"loadgen/request", "loadgen/transport/... analysis/rundir profiles", "what a profile says, as bytes for a transport and marks of a response"},
	{"loadgen/experiment", "loadgen/request loadgen/preflight loadgen/probe loadgen/engine loadgen/record loadgen/transport/... monitor monitor/doctor target/fleet profiles profiles/arrival analysis analysis/...", "one run end to end"},
	{"loadgen/metrics", "analysis/rundir target/exposition", "what a run tells a Prometheus; knows neither who plays it nor how"},
	{"loadgen/metrics/otlp", "loadgen/metrics target/exposition", "the same, brought to a collector"},
	{"loadgen/live", "analysis/look analysis/rundir", "shows a run to browsers; knows neither who plays it nor how"},
	{"loadgen/batch", "analysis analysis/rundir profiles profiles/arrival", "hands trials out and keeps results; the run itself is another process"},
	{"loadgen/cluster", "loadgen/cluster/... monitor/doctor profiles", "machines over ssh; what runs there is another process"},
	{"loadgen/cluster/rspec", "", "reads what a stranger wrote, and decides nothing"},
	{"loadgen/cluster/remote", "", "one login, whatever it is for"},
	{"loadgen/cluster/sshdtest", "", "machines for tests"},
	{"loadgen/convert", "profiles", "text of other tools in, a profile out; opens nothing and sends nothing"},
	{"loadgen/engine", "loadgen/transport/... loadgen/record analysis/rundir profiles/arrival target/epoll", "the hot loop knows no files, no profiles and no node"},
	{"loadgen/peers/...", "loadgen/peers/... monitor profiles/arrival target/epoll", "sets loadgen beside others and knows it, as them, by its command line"},
	{"loadgen/preflight", "", "a look at what a stranger says first"},
	{"loadgen/price", "profiles", "arithmetic on a plan; sizes and suggestions as profiles have them"},
	{"loadgen/probe", "loadgen/request loadgen/transport loadgen/transport/response analysis/cold analysis/plain analysis/rundir profiles", "a few requests, one after the other, and what they tell"},
	{"loadgen/record", "analysis/rundir profiles/arrival", "counts what the engine did"},
	{"loadgen/transport/...", "loadgen/transport/... analysis/rundir target/epoll", "a transport moves bytes and fills a sample"},
	{"monitor", "", "samplers read the kernel and nothing of ours"},
	{"monitor/doctor", "monitor", "judges what monitor read of a host; reads nothing itself"},
	{"monitor/doctor/repair", "monitor/doctor", "sets what the doctor names, and puts it back"},
	{"profiles/schema", "", "the words of a schema, whatever it is of"},
	{"profiles", "profiles/arrival profiles/arrival/trace profiles/schema", "profiles are read by everyone and read nobody"},
	{"profiles/arrival", "", "pure mathematics"},
	{"profiles/arrival/trace", "profiles/arrival", "makes arrivals of text; whoever asks opens the files"},
	{"profiles/model", "analysis/qpn/... profiles", "the strict reader of queueing models"},
	{"analysis/stats", "", "pure mathematics"},
	{"analysis/cold", "", "pure mathematics"},
	{"analysis", "analysis/rundir analysis/stats analysis/cold profiles profiles/arrival", "from raw files to numbers, whoever produced them"},
	{"analysis/rundir", "profiles profiles/arrival profiles/arrival/trace", "the contract between producers and readers"},
	{"analysis/export", "analysis/rundir", "requests for other programs"},
	{"analysis/merge", "analysis analysis/rundir profiles/arrival", "one run directory of several"},
	{"analysis/compare", "analysis analysis/rundir analysis/stats profiles", "sets what analysis found of many runs side by side"},
	{"analysis/look", "analysis/rundir", "styles and scripts of any page, and what charts are drawn from"},
	{"analysis/look/browsertest", "", "a browser for tests, whatever the page"},
	{"analysis/plain", "", "one rule for everyone who shows text of a target"},
	{"analysis/report", "analysis analysis/plain analysis/look analysis/nodecost analysis/cold analysis/compare analysis/stats analysis/rundir profiles profiles/arrival", "shows what analysis found"},
	{"analysis/predict", "analysis analysis/qpn/... analysis/rundir profiles profiles/arrival profiles/model target/policy", "models and measurements of one profile side by side"},
	{"analysis/nodecost", "", "reads what target prints; links nothing of the node"},
	{"analysis/figures", "analysis analysis/compare analysis/nodecost analysis/predict analysis/qpn/... analysis/rundir profiles profiles/arrival target/policy", "shows what analysis found, and above what a policy alarms"},
	{"analysis/qpn/...", "analysis/qpn/... analysis/stats profiles/arrival", "queueing models know no node and no run"},
	{"analysis/qpn/twin", "analysis/qpn/... analysis/rundir profiles profiles/arrival target/policy target/dispatch target/pool", "the node's own decisions under a virtual clock"},
	{"target", "target/...", "a lean binary: its memory is measured"},
	{"target/fleet", "profiles", "starts nodes for loadgen; links nothing of the node"},
	{"target/policy", "target/arima", "a leaf but for the fit, as pure as itself: the live node and the twin run the same code"},
	{"target/arima", "", "pure mathematics"},
	{"target/dispatch", "", "a leaf: the live node and the twin run the same code"},
	{"target/pool", "target/policy target/dispatch", "pure state machine, shared with the twin"},
	{"target/epoll", "", "shared by the node's reactor and the generator"},
	{"target/httpwire", "", "bytes in, events out"},
	{"target/exposition", "", "a format; shared by node and generator"},
	{"target/...", "target/...", "the node knows nothing of who measures it"},
}

func TestImportGraph(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-tags", "otlp", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], "edgebench/")
		if pkg == "edgebench" {
			continue
		}
		for _, imported := range fields[1:] {
			checkImport(t, pkg, imported)
		}
	}
}

func checkImport(t *testing.T, pkg, imported string) {
	t.Helper()
	if strings.HasPrefix(imported, "go.yaml.in/") && pkg != "profiles" && pkg != "profiles/model" {
		t.Errorf("%s imports %s: only profiles reads YAML, so that every file is read as strictly", pkg, imported)
	}
	imported, ours := strings.CutPrefix(imported, "edgebench/")
	if !ours {
		return
	}
	best, rule := -1, 0
	for i, r := range allowed {
		if covers(r.pkg, pkg) && len(r.pkg) > best {
			best, rule = len(r.pkg), i
		}
	}
	if best < 0 {
		t.Errorf("%s has no rule in the import graph: add one with its reason", pkg)
		return
	}
	for pattern := range strings.FieldsSeq(allowed[rule].may) {
		if covers(pattern, imported) {
			return
		}
	}
	t.Errorf("%s imports %s, against the graph (%s: %s)", pkg, imported, allowed[rule].pkg, allowed[rule].why)
}

// covers reports whether pattern names pkg: itself, "tree/..." or "*".
func covers(pattern, pkg string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == tree || strings.HasPrefix(pkg, tree+"/")
	}
	return pattern == "*" || pattern == pkg
}
