package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edgebench/analysis/rundir"
)

// with runs a command with variables beside those of the test.
func (c *command) with(t *testing.T, variables ...string) *command {
	t.Helper()
	c.Env = append(os.Environ(), variables...)
	return c
}

func TestVariablesAreFlags(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		args      []string
		variables []string
		want      []string // on stdout
	}{
		{"a variable beats the profile", nil, []string{"LOADGEN_POLICY=kpa", "LOADGEN_SEED=9"}, []string{"target.bundled.policy kpa LOADGEN_POLICY", "seed 9 LOADGEN_SEED"}},
		{"a flag beats the variable", []string{"--seed", "3"}, []string{"LOADGEN_SEED=9"}, []string{"seed 3 --seed"}},
		{"one that may be repeated has a value a line", nil, []string{"LOADGEN_SET=seed=4\nrequest.timeout=3s"}, []string{"seed 4 LOADGEN_SET", "request.timeout 3s LOADGEN_SET"}},
		{"an empty one is none", nil, []string{"LOADGEN_SEED="}, []string{"seed 1 default"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := loadgen(t, tiny, append([]string{"run", "p.yaml", "--print-config"}, tc.args...)...).with(t, tc.variables...)
			c.wantCode(t, c.code(t, c.Run()), exitOK)
			var lines []string
			for line := range strings.Lines(c.stdout.String()) {
				lines = append(lines, strings.Join(strings.Fields(line), " "))
			}
			text := strings.Join(lines, "\n") + "\n"
			for _, want := range tc.want {
				if !strings.Contains(text, want+"\n") {
					t.Errorf("no line %q in\n%s", want, text)
				}
			}
			if left, _ := os.ReadDir(filepath.Join(c.Dir, "runs")); len(left) > 0 {
				t.Error("it ran")
			}
		})
	}
}

// Variables count before arguments are checked, and are part of the command line
// that is kept.
func TestVariablesMakeARun(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "run", "p.yaml", "--quiet", "--json").with(t, "LOADGEN_SEED=5", "LOADGEN_OUT=elsewhere")
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	runs, err := filepath.Glob(filepath.Join(c.Dir, "elsewhere", "*", "manifest.json"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	m, err := rundir.ReadManifest(filepath.Dir(runs[0]))
	if err != nil {
		t.Fatal(err)
	}
	argv := strings.Join(m.Argv, " ")
	if m.Seed != 5 || !strings.Contains(argv, "--seed=5") || !strings.Contains(argv, "--out=elsewhere") {
		t.Errorf("seed %d, argv %s", m.Seed, argv)
	}
}

func TestWrongVariables(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "plan", "p.yaml").with(t, "LOADGEN_JSON=maybe", "LOADGEN_MEMORY_MB=much", "LOADGEN_POLCY=kpa")
	c.wantCode(t, c.code(t, c.Run()), exitUsage)
	for _, want := range []string{"LOADGEN_JSON: ", "LOADGEN_MEMORY_MB: ", "LOADGEN_POLCY is the variable of no flag, did you mean LOADGEN_POLICY?", "loadgen plan --help"} {
		if !strings.Contains(c.stderr.String(), want) {
			t.Errorf("no %q in\n%s", want, c.stderr.String())
		}
	}
}

func TestInit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		code int
		file string
		want string // in the file, or on stderr
	}{
		{nil, exitOK, "my-profile.yaml", "name: my-profile"},
		{[]string{"own", "--url", "https://example.org/fn"}, exitOK, "own.yaml", `url: "https://example.org/fn"`},
		{[]string{"ramp.yaml", "--from", "bursty-ramp"}, exitOK, "ramp.yaml", "\nname: ramp\n"},
		{[]string{"p.yaml"}, exitUsage, "", "p.yaml is there already"},
		{[]string{"a b.yaml"}, exitUsage, "", "a name is letters"},
		{[]string{"x.yaml", "--url", "gopher://x"}, exitUsage, "", "target.url"},
		{[]string{"x.yaml", "--from", "bursty-rmp"}, exitUsage, "", "did you mean bursty-ramp"},
		{[]string{"none/x.yaml"}, exitUsage, "", "none/x.yaml"},
	} {
		c := loadgen(t, tiny, append([]string{"init"}, tc.args...)...)
		c.wantCode(t, c.code(t, c.Run()), tc.code)
		text := c.stderr.String()
		if tc.file != "" {
			data, err := os.ReadFile(filepath.Join(c.Dir, tc.file))
			if err != nil {
				t.Fatal(err)
			}
			text = string(data)
		}
		if !strings.Contains(text, tc.want) {
			t.Errorf("init %q: no %q in\n%s", tc.args, tc.want, text)
		}
	}
}
