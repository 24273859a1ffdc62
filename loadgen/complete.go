package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgebench/analysis"
	"edgebench/analysis/compare"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/price"
	"edgebench/profiles"
	"edgebench/profiles/model"
	"edgebench/target/policy"
)

// A completion offers what may stand where the shell is asked to complete.
type completion = cobra.CompletionFunc

// placeholders are the arguments as the Use lines of commands name them.
var placeholders = map[string]completion{
	"PROFILE":    completeProfiles,
	"RUN":        completeRuns,
	"A":          completeRuns,
	"B":          completeRuns,
	"MODEL":      completeModels,
	"FILE":       completeFiles("yaml", "yml"),
	"BATCH.yaml": completeFiles("yaml", "yml"),
	"INVENTORY":  completeFiles("yaml", "yml"),
	"MANIFEST":   completeFiles("xml"),
	"DIR":        completeFolders,
	"FILE|DIR":   completeFiles("yaml", "yml"),
	"FILE|-":     cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault), // of any name
	"DIR|URL":    completeFolders,
	"NODE":       cobra.NoFileCompletions,
	"URL":        cobra.NoFileCompletions,
}

// flagValues are the flags whose values have names, by their own.
var flagValues = map[string]completion{
	"policy":    completePolicies,
	"profile":   completeProfiles,
	"from":      completeEmbedded,
	"measured":  completeRuns,
	"price":     completePrices,
	"threshold": completeThresholds,
	"metric":    completeMetrics,
	"set":       completeSets,
	"service":   cobra.FixedCompletions([]string{serviceOfProfile, serviceOfMeasured}, cobra.ShellCompDirectiveNoFileComp),
}

// ellipsis is what follows an argument that may be repeated.
var ellipsis = regexp.MustCompile(`\.\.\.$`)

// positions are the arguments that a command takes, in order; the last one may be
// repeated.
func positions(cmd *cobra.Command) []string {
	var names []string
	for _, word := range strings.Fields(cmd.Use)[1:] {
		word = ellipsis.ReplaceAllString(strings.Trim(word, "[]"), "")
		if _, ok := placeholders[word]; ok {
			names = append(names, word)
		}
	}
	return names
}

// offer gives a command, and those below it, their completions.
func offer(cmd *cobra.Command) {
	if names := positions(cmd); len(names) > 0 && cmd.ValidArgsFunction == nil {
		many := strings.HasSuffix(strings.TrimSuffix(cmd.Use, "]"), "...")
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			at := len(args)
			if at >= len(names) {
				if !many {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				at = len(names) - 1
			}
			return begun(placeholders[names[at]])(cmd, args, word)
		}
	}
	for name, complete := range flagValues {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}
		if name == "set" && slices.Contains(positions(cmd), "MODEL") {
			complete = completeParameters
		}
		if err := cmd.RegisterFlagCompletionFunc(name, begun(complete)); err != nil {
			panic(err) // the flag is there, and asked for once
		}
	}
	for _, sub := range cmd.Commands() {
		offer(sub)
	}
}

// begun leaves out what does not begin with the word; not every shell does.
func begun(complete completion) completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		offers, directive := complete(cmd, args, word)
		const files = cobra.ShellCompDirectiveFilterFileExt | cobra.ShellCompDirectiveFilterDirs
		if directive&files == 0 { // else they are no offers, but which files the shell should show
			offers = slices.DeleteFunc(offers, func(o string) bool { return !strings.HasPrefix(o, word) })
		}
		return offers, directive
	}
}

func completeEmbedded(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, info := range profiles.Embedded() {
		names = append(names, cobra.CompletionWithDesc(info.Name, info.Description))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeProfiles offers the embedded ones and the files that are here.
func completeProfiles(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	files, directive := completePaths(word, func(path string, folder bool) bool {
		return !folder && (filepath.Ext(path) == ".yaml" || filepath.Ext(path) == ".yml")
	})
	if strings.ContainsRune(word, filepath.Separator) {
		return files, directive
	}
	names, _ := begun(completeEmbedded)(cmd, args, word)
	if len(names) > 0 {
		directive = cobra.ShellCompDirectiveNoFileComp
	}
	return append(files, names...), directive
}

// completeRuns offers run directories, and folders on the way to them.
func completeRuns(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	return completePaths(word, func(path string, folder bool) bool {
		_, err := os.Stat(filepath.Join(path, rundir.ManifestFile))
		return folder && err == nil
	})
}

// completePaths offers what is wanted below the folder of word, and other folders
// with a / at their end; the shell adds no space to one of these.
func completePaths(word string, wanted func(path string, folder bool) bool) ([]string, cobra.ShellCompDirective) {
	parent := word[:strings.LastIndexByte(word, filepath.Separator)+1]
	entries, err := os.ReadDir(filepath.Clean("./" + parent))
	if filepath.IsAbs(word) {
		entries, err = os.ReadDir(parent)
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	directive := cobra.ShellCompDirectiveNoFileComp
	for _, e := range entries {
		path := parent + e.Name()
		if !strings.HasPrefix(path, word) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := os.Stat(path) // a link to a folder is one
		if err != nil {
			continue
		}
		switch {
		case wanted(path, info.IsDir()):
			found = append(found, path)
		case info.IsDir():
			found = append(found, path+string(filepath.Separator))
			directive |= cobra.ShellCompDirectiveNoSpace
		}
	}
	return found, directive
}

func completeFiles(extensions ...string) completion {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completePolicies goes on after a comma, as sim takes several.
func completePolicies(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	before := word[:strings.LastIndexByte(word, ',')+1]
	var names []string
	for _, s := range policy.Specs() {
		names = append(names, cobra.CompletionWithDesc(before+s.Name, s.Help))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completePrices(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range price.Recipes() {
		names = append(names, cobra.CompletionWithDesc(p.Name, p.Of))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeThresholds offers metrics; what follows is a comparison.
func completeThresholds(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, m := range analysis.Metrics() {
		names = append(names, cobra.CompletionWithDesc(m.Name, "< "+m.Limit))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeMetrics(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, m := range compare.Metrics() {
		names = append(names, cobra.CompletionWithDesc(m.Name, m.Help))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeModels offers the embedded ones and their variants, and files.
func completeModels(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	names, directive := completePaths(word, func(path string, folder bool) bool {
		return !folder && slices.Contains([]string{".yaml", ".yml", ".jsim", ".jsimg"}, filepath.Ext(path))
	})
	specs, _ := model.Embedded() // the embedded models are tested
	for _, s := range specs {
		names = append(names, cobra.CompletionWithDesc(s.Name, s.Description))
		for _, v := range s.Variants {
			names = append(names, s.Name+":"+v.Name)
		}
	}
	return names, directive
}

// completeParameters offers those of the models that the line names already.
func completeParameters(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	help := map[string]string{}
	for _, name := range args {
		name, _, _ = strings.Cut(name, ":")
		if s, err := model.LoadSpec(name); err == nil {
			for _, p := range s.Params {
				help[p.Name+"="] = p.Help
			}
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(help)) {
		names = append(names, cobra.CompletionWithDesc(name, help[name]))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
