package model

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"edgebench/analysis/qpn"
	"edgebench/profiles"
)

//go:embed *.yaml
var embedded embed.FS

// Embedded returns the models that come with the program, by name.
func Embedded() ([]*Spec, error) {
	names, err := fs.Glob(embedded, "*.yaml")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var specs []*Spec
	for _, name := range names {
		data, err := embedded.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := Parse(name, data)
		if err != nil {
			return nil, err
		}
		specs = append(specs, s)
	}
	return specs, nil
}

// LoadSpec reads a model file; where there is none of that name, the embedded
// model, with or without .yaml.
func LoadSpec(name string) (*Spec, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		file := strings.TrimSuffix(name, ".yaml") + ".yaml"
		if data, err = embedded.ReadFile(file); err != nil {
			names, globErr := fs.Glob(embedded, "*.yaml")
			for i := range names {
				names[i] = strings.TrimSuffix(names[i], ".yaml")
			}
			return nil, errors.Join(fmt.Errorf("no file of that name, and %s", profiles.UnknownName("model", name, names)), globErr)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return Parse(name, data)
}

// Load reads "name" or "name:variant", as in cls:M1, with parameters set. A name
// that ends in .jsim or .jsimg is a model of the Java Modelling Tools.
func Load(name string, sets []Set) (*qpn.Model, error) {
	if strings.HasSuffix(name, ".jsim") || strings.HasSuffix(name, ".jsimg") {
		if len(sets) > 0 {
			return nil, fmt.Errorf("%s: --set %s: an imported model has no parameters", name, sets[0].Key)
		}
		return loadJSIM(name)
	}
	file, variant, _ := strings.Cut(name, ":")
	s, err := LoadSpec(file)
	if err != nil {
		return nil, err
	}
	return s.Model(variant, sets)
}

// ParseSet reads "key=value".
func ParseSet(text string) (Set, error) {
	key, v, ok := strings.Cut(text, "=")
	if !ok || key == "" || v == "" {
		return Set{}, fmt.Errorf("--set %q: not key=value", text)
	}
	return Set{Key: strings.TrimSpace(key), Value: strings.TrimSpace(v)}, nil
}
