package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"edgebench/profiles"
)

// A docLine is a line of a fenced block of README.md or docs/.
type docLine struct {
	page string
	line int
	text string
}

// docBlocks are the fenced blocks of the pages, by language. A block below the line
// <!-- unchecked: WHY --> is left out.
func docBlocks(t *testing.T, languages ...string) [][]docLine {
	t.Helper()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	var blocks [][]docLine
	for _, page := range append([]string{"../README.md"}, pages...) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var block []docLine
		inside, wanted, unchecked := false, false, false
		for i, text := range strings.Split(string(data), "\n") {
			language, fence := strings.CutPrefix(text, "```")
			switch {
			case fence && !inside:
				inside, wanted = true, slices.Contains(languages, language) && !unchecked
			case fence:
				if wanted {
					blocks = append(blocks, block)
				}
				inside, block, unchecked = false, nil, false
			case inside:
				block = append(block, docLine{page, i + 1, text})
			case strings.TrimSpace(text) != "":
				unchecked = strings.HasPrefix(text, "<!-- unchecked: ")
			}
		}
		if inside {
			t.Errorf("%s: a fence is not closed", page)
		}
	}
	return blocks
}

// docCommand takes a line of a shell apart: quotes, and a comment at its end.
func docCommand(text string) []string {
	var words []string
	var word strings.Builder
	quote, begun := rune(0), false
	for _, r := range text + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && r == '#' && !begun:
			return words
		case quote == 0 && (r == '>' || r == '|' || r == '&') && !begun:
			return words // what the shell does with the output
		case quote == 0 && r == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	return words
}

var commandWord = regexp.MustCompile(`^[a-z][a-z-]*$`)

// Commands of the documentation exist, with their flags, keys, policies and number
// of arguments.
func TestCommandsOfTheDocs(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, block := range docBlocks(t, "", "sh") {
		for _, l := range block {
			words := docCommand(l.text)
			if len(words) < 2 {
				continue
			}
			problem := ""
			switch strings.TrimPrefix(words[0], "bin/") {
			case "loadgen":
				if !commandWord.MatchString(words[1]) {
					continue // output, not a command
				}
				problem = docProblem(words[1:])
			case "target":
				problem = targetProblem(words[1:])
			case "make":
				if !strings.Contains(string(makefile), "\n"+words[1]+":") {
					problem = "no such target"
				}
			default:
				continue
			}
			if checked++; problem != "" {
				t.Errorf("%s:%d: %s: %s", l.page, l.line, l.text, problem)
			}
		}
	}
	if checked < 60 {
		t.Errorf("%d commands found", checked)
	}
}

// docProblem is what is wrong with a command line of loadgen, as far as that shows
// without playing it.
func docProblem(args []string) string {
	root := newRoot()
	root.InitDefaultCompletionCmd() // as executing does
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err.Error()
	}
	if cmd.HasSubCommands() {
		return "no such command below " + cmd.CommandPath()
	}
	cmd.SetContext(context.Background())
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return err.Error()
	}
	given := cmd.Flags().Args()
	if cmd.Runnable() && cmd.Args != nil {
		if err := cmd.ValidateArgs(given); err != nil {
			return err.Error()
		}
	}
	if len(given) == 0 || !slices.Contains(positions(cmd), "PROFILE") {
		return ""
	}
	if _, embedded := profiles.EmbeddedYAML(given[0]); !embedded {
		return ""
	}
	var sets []string
	if cmd.Flags().Lookup("set") != nil {
		sets, _ = cmd.Flags().GetStringArray("set")
	}
	if url := cmd.Flags().Lookup("url"); url != nil && url.Changed {
		sets = append([]string{"target.url=" + url.Value.String()}, sets...)
	}
	if _, err := loadProfile(given[0], sets); err != nil {
		return err.Error()
	}
	return ""
}

// The check above can fail.
func TestFaultyCommandsOfDocsAreFound(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"loadgen rnu h2":             "no such command below loadgen",
		"loadgen batch > file":       "no such command below loadgen batch",
		"loadgen run h2 --polcy kpa": "--polcy",
		"loadgen plan":               "arg",
		"loadgen plan h2 --set 'target.bundled.tik=1s' # x": "did you mean tick?",
		`loadgen list "polices"`:                            "did you mean policies?",
	} {
		if problem := docProblem(docCommand(line)[1:]); !strings.Contains(problem, want) {
			t.Errorf("%s: %q, want %q", line, problem, want)
		}
	}
}

// targetProblem is about flags that target's help does not know.
func targetProblem(args []string) string {
	sub := []string{"--help"}
	if !strings.HasPrefix(args[0], "-") {
		sub = []string{args[0], "--help"}
	}
	help, err := exec.Command(filepath.Join(bin, "target"), sub...).CombinedOutput()
	if err != nil {
		return err.Error() + ": " + string(help)
	}
	for _, a := range args {
		flag, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if strings.HasPrefix(a, "-") && !strings.Contains(string(help), "-"+flag) {
			return "--help does not know " + a
		}
	}
	return ""
}

// quick makes a run of the first profile short, and its node small.
var quick = []string{
	"--set", "phases.warmup.for=200ms", "--set", "phases.ramp.for=200ms", "--set", "phases.spike.for=200ms", "--set", "target.bundled.service=5ms",
	"--set", "target.bundled.heap=1MB", "--quiet",
}

// played are commands that are over in a moment, or made so.
var played = []string{"init", "check", "plan", "list", "schema", "man", "completion", "sim", "compare", "pareto"}

// The first steps and the statistics of the documentation are played as they are
// written, in an empty folder.
func TestFirstStepsOfTheDocs(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"first-run.md", "statistics.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			dir, steps := t.TempDir(), 0
			for _, block := range docBlocks(t, "sh") {
				for _, l := range block {
					words := docCommand(l.text)
					if filepath.Base(l.page) != page || len(words) < 2 || words[0] != "bin/loadgen" {
						continue
					}
					shell := strings.TrimPrefix(l.text, "bin/")
					if !slices.Contains(played, words[1]) {
						if words[1] != "run" || len(words) != 3 {
							continue // parsed by the other test: too long, or to somebody else
						}
						shell = strings.Join(append([]string{"loadgen"}, append(words[1:], quick...)...), " ")
					}
					steps++
					cmd := exec.Command("sh", "-c", shell)
					cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
					out, err := cmd.CombinedOutput()
					if code := cmd.ProcessState.ExitCode(); err != nil && code != exitInvalid { // a busy machine spoils a run, not a page
						t.Errorf("line %d: %s: exit %d\n%s", l.line, l.text, code, out)
					}
				}
			}
			if steps < 3 {
				t.Errorf("%d steps played", steps)
			}
		})
	}
}

// Each page of docs/ is linked from the README.
func TestReadmeLinksEveryPage(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(err)
	}
	for _, page := range pages {
		if link := "(docs/" + filepath.Base(page) + ")"; !strings.Contains(string(readme), link) {
			t.Errorf("README.md has no link %s", link)
		}
	}
}
