// Package price estimates what a plan costs on a platform that bills by request,
// by memory over time and by bytes sent out. Prices are the user's, or those of a
// recipe that says where they are from and when they were read: none is assumed.
// It knows no free tiers, no taxes, and nothing else that a platform may bill.
package price

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"edgebench/profiles"
)

// A Price is a price list. What is NaN has no price known.
type Price struct {
	Name     string // of the recipe; empty for prices of the user
	Of       string // what exactly it is the price of
	Source   string
	AsOf     string // when the source said so
	Currency string

	Million  float64 // of a million requests
	GBSecond float64 // of a GB of memory (1,024 MB) for a second
	EgressGB float64 // of 10⁹ bytes sent out

	LeastDuration time.Duration // billed at least
	DurationStep  time.Duration // billed duration is rounded up to this; 0 for exact
	MemoryStepMB  int           // memory is rounded up to this; 0 for exact
}

// unknown is a price nobody told.
var unknown = math.NaN()

// recipes are price lists by name. Regions differ, and lists change: the date is
// part of what is printed.
var recipes = []Price{
	{
		Name: "aws-lambda", Of: "AWS Lambda, x86, US East (N. Virginia), first tier",
		Source: "https://aws.amazon.com/lambda/pricing/", AsOf: "2024", Currency: "USD",
		Million: 0.20, GBSecond: 0.0000166667, EgressGB: unknown, DurationStep: time.Millisecond,
	},
	{
		Name: "azure-functions", Of: "Azure Functions, consumption plan, East US",
		Source: "https://azure.microsoft.com/en-us/pricing/details/functions/", AsOf: "May 2025", Currency: "USD",
		Million: 0.20, GBSecond: 0.000016, EgressGB: unknown, LeastDuration: 100 * time.Millisecond, DurationStep: time.Millisecond, MemoryStepMB: 128,
	},
}

// Recipes are the price lists that are built in.
func Recipes() []Price { return append([]Price{}, recipes...) }

// Parse reads the name of a recipe, prices such as
// "million=0.20,gb_second=0.0000166667,egress_gb=0.09", or both: prices given
// replace those of the recipe.
func Parse(text string) (Price, error) {
	p := Price{Currency: "", Million: unknown, GBSecond: unknown, EgressGB: unknown}
	var faults []error
	for i, field := range strings.Split(text, ",") {
		key, value, isPrice := strings.Cut(strings.TrimSpace(field), "=")
		if !isPrice {
			found, err := recipe(key)
			if err == nil && i > 0 {
				err = fmt.Errorf("%q: the name of a recipe comes first", key)
			}
			if err != nil {
				faults = append(faults, err)
				continue
			}
			p = found
			continue
		}
		into := map[string]*float64{"million": &p.Million, "gb_second": &p.GBSecond, "egress_gb": &p.EgressGB}[key]
		if into == nil {
			faults = append(faults, errors.New(profiles.UnknownName("price", key, []string{"million", "gb_second", "egress_gb"})))
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			faults = append(faults, fmt.Errorf("%s=%q: want a number, 0 or more", key, value))
			continue
		}
		*into = v
	}
	return p, errors.Join(faults...)
}

func recipe(name string) (Price, error) {
	var names []string
	for _, r := range recipes {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Price{}, errors.New(profiles.UnknownName("price list", name, names))
}
