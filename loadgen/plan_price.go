package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"edgebench/loadgen/price"
	"edgebench/profiles"
)

// priceFlags ask what a plan would cost.
type priceFlags struct {
	price        string
	memoryMB     int
	duration     time.Duration
	responseSize string
}

func (p *priceFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.price, "price", "", "estimate the cost: a price list (see: loadgen list prices), or million=0.20,gb_second=0.0000167,egress_gb=0.09")
	f.IntVar(&p.memoryMB, "memory-mb", 0, "with --price: memory of an instance, 1,024 to a GB")
	f.DurationVar(&p.duration, "request-duration", 0, "with --price: how long a request takes, for example 120ms (loadgen probe measures it)")
	f.StringVar(&p.responseSize, "response-size", "", "with --price: size of a response, for example 2KB")
}

// estimate is nil when it was not asked for.
func (p *priceFlags) estimate(planned float64) (*price.Estimate, error) {
	use := price.Use{Requests: planned, MemoryMB: p.memoryMB, Duration: p.duration}
	var faults []error
	switch {
	case p.price == "" && (p.memoryMB != 0 || p.duration != 0 || p.responseSize != ""):
		faults = append(faults, errors.New("--memory-mb, --request-duration and --response-size go with --price"))
	case p.memoryMB < 0 || p.duration < 0:
		faults = append(faults, errors.New("--memory-mb and --request-duration are above 0"))
	}
	if p.responseSize != "" {
		n, err := profiles.ParseSize(p.responseSize)
		if err != nil {
			faults = append(faults, fmt.Errorf("--response-size: %w", err))
		}
		use.ResponseSize = n
	}
	var list price.Price
	if p.price != "" {
		var err error
		if list, err = price.Parse(p.price); err != nil {
			faults = append(faults, fmt.Errorf("--price: %w", err))
		}
	}
	if len(faults) > 0 {
		return nil, exitError{exitUsage, errors.Join(faults...)}
	}
	if p.price == "" {
		return nil, nil
	}
	e := list.Estimate(use)
	return &e, nil
}

// printEstimate shows the arithmetic, so that it can be checked against a bill.
func printEstimate(out io.Writer, e *price.Estimate) error {
	if e == nil {
		return nil
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "cost\tquantity\tprice\t")
	for _, i := range e.Items {
		quantity, each, cost := "?", "?", "not known: give "+i.Missing
		if i.Quantity != nil {
			quantity = strconv.FormatFloat(*i.Quantity, 'g', 6, 64) + " " + i.Unit
		}
		if i.Price != nil {
			each = strconv.FormatFloat(*i.Price, 'f', -1, 64)
		}
		if i.Cost != nil {
			cost = money(*i.Cost, e.Currency)
		}
		fmt.Fprintf(w, "%s\t%s\t× %s\t%s\n", i.What, quantity, each, cost)
	}
	total := money(e.Total, e.Currency)
	if !e.Complete {
		total = "at least " + total
	}
	fmt.Fprintf(w, "total\t\t\t%s\n", total)
	if err := w.Flush(); err != nil {
		return err
	}
	from := e.Source
	if e.AsOf != "" {
		from = fmt.Sprintf("%s, %s as of %s: check them", e.Of, e.Source, e.AsOf)
	}
	_, err := fmt.Fprintf(out, "Prices from %s. Without free tiers, taxes, and the longer time of cold starts.\n", from)
	return err
}

// money has cents, and two digits however little it is.
func money(v float64, currency string) string {
	digits := 2
	if v > 0 && v < 1 {
		digits = 1 - int(math.Floor(math.Log10(v)))
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if currency == "" {
		return text
	}
	return text + " " + currency
}
