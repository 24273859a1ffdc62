package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// offers is what a shell is told for a command line whose last word is completed.
func offers(t *testing.T, args ...string) []string {
	t.Helper()
	var out, stderr bytes.Buffer
	if code := execute(context.Background(), append([]string{"__complete"}, args...), &out, &stderr); code != exitOK {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	var words []string
	for line := range strings.Lines(out.String()) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		words = append(words, word)
	}
	return words[:len(words)-1] // the last line is a directive
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := filepath.Join(dir, "20261130T000000Z-tiny")
	for _, folder := range []string{run, filepath.Join(dir, "other")} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(run, "manifest.json"), filepath.Join(dir, "mine.yaml"), filepath.Join(dir, "notes.txt")} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		args []string
		want []string // all of them
	}{
		{"an embedded profile", []string{"run", "bursty"}, []string{"bursty-ramp", "bursty-ramp-quick"}},
		{"a profile's file", []string{"plan", dir + "/"}, []string{run + "/", dir + "/mine.yaml", dir + "/other/"}},
		{"one profile is enough", []string{"plan", "h2", ""}, []string{}},
		{"check takes many", []string{"check", "h2", "two"}, []string{"two-cycle"}},
		{"a run directory", []string{"report", dir + "/"}, []string{run, dir + "/other/"}},
		{"a second run directory", []string{"merge", run, dir + "/2"}, []string{run}},
		{"a policy", []string{"run", "h2", "--policy", "ewma"}, []string{"ewma", "ewma-adaptive"}},
		{"a second policy", []string{"sim", "h2", "--policy", "kpa,tt"}, []string{"kpa,ttl"}},
		{"a model and its variants", []string{"qpn", "cls:M"}, []string{"cls:M1", "cls:M2", "cls:M3", "cls:M4"}},
		{"a parameter of the model", []string{"qpn", "spr", "--set", "inst"}, []string{"instances="}},
		{"a list", []string{"list", "pr"}, []string{"prices", "profiles"}},
		{"a kind of file", []string{"schema", ""}, []string{"batch", "profile"}},
		{"a key", []string{"run", "h2", "--set", "target.bundled.mi"}, []string{"target.bundled.miss.", "target.bundled.miss="}},
		{"a parameter of a policy", []string{"run", "h2", "--set", "target.bundled.policy.ewma.h"}, []string{"target.bundled.policy.ewma.h=", "target.bundled.policy.ewma.headroom="}},
		{"the words of a key", []string{"run", "h2", "--set", "target.bundled.worker=py"}, []string{"target.bundled.worker=python", "target.bundled.worker=python-exec"}},
		{"a key that is not there", []string{"run", "h2", "--set", "nothing.at"}, []string{}},
		{"a price list", []string{"plan", "h2", "--price", "aws"}, []string{"aws-lambda"}},
		{"a metric", []string{"run", "h2", "--threshold", "response.p99"}, []string{"response.p99", "response.p999"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := offers(t, tt.args...)
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Each argument that a command names has a completion or is one of few words, so
// that a new command has it the moment it exists.
func TestEveryArgumentIsCompleted(t *testing.T) {
	t.Parallel()
	commands := 0
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, word := range strings.Fields(cmd.Use)[1:] {
			word = strings.TrimSuffix(strings.Trim(word, "[]"), "...")
			if word != strings.ToUpper(word) && word != "BATCH.yaml" || strings.HasPrefix(word, "-") || len(cmd.ValidArgs) > 0 {
				continue
			}
			if commands++; placeholders[word] == nil {
				t.Errorf("%s: nothing completes %s", cmd.CommandPath(), word)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	if commands < 25 {
		t.Errorf("%d arguments looked at", commands)
	}
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, want string }{
		{"rum", "did you mean run"},
		{"batch staus", "did you mean status?"},
		{"cluster inventry", "did you mean inventory?"},
		{"run --polcy ewma", "did you mean --policy?"},
		{"list polices", "did you mean policies?"},
		{"schema profil", "did you mean profile?"},
		{"plan burst-ramp", "did you mean bursty-ramp?"},
		{"run h2 --policy emwa", "did you mean ewma?"},
		{"sim h2 --policy ewma,kpaa", "did you mean kpa?"},
		{"plan h2 --set target.bundled.policy.ewma.hedroom=1", "did you mean headroom?"},
		{"plan h2 --set target.bundled.dispatch=lifoo", "did you mean lifo?"},
		{"plan h2 --set target.bundeld.tick=1s", "did you mean bundled?"},
		{"plan h2 --price aws-lamda", "did you mean aws-lambda?"},
		{"qpn sprr", "did you mean spr?"},
		{"qpn cls:5x4", "did you mean 5x3?"},
		{"qpn spr --set instanes=3", "did you mean instances?"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			var out, stderr bytes.Buffer
			if code := execute(context.Background(), strings.Fields(tt.line), &out, &stderr); code != exitUsage {
				t.Errorf("exit %d", code)
			}
			if !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("no %q in %q", tt.want, &stderr)
			}
		})
	}
}

func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man1")
	var out, stderr bytes.Buffer
	if code := execute(context.Background(), []string{"man", dir}, &out, &stderr); code != exitOK {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	for page, want := range map[string]string{"loadgen.1": "open-loop", "loadgen-run.1": "max-requests", "loadgen-batch-run.1": "deadline"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), ".nh\n.TH ") || !strings.Contains(strings.ReplaceAll(string(text), `\-`, "-"), want) {
			t.Errorf("%s: no %q in %.200s", page, want, text)
		}
	}
}
