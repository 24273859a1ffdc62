package price

import (
	"math"
	"time"
)

// Use is what a plan uses. Zero is not known, but for Requests.
type Use struct {
	Requests     float64
	MemoryMB     int           // of an instance, 1,024 to a GB
	Duration     time.Duration // that a request is expected to take
	ResponseSize int64         // bytes
}

// An Item is one line of an estimate.
type Item struct {
	What     string   `json:"what"`
	Quantity *float64 `json:"quantity"` // null: not known
	Unit     string   `json:"unit"`
	Price    *float64 `json:"price"` // of a unit; null: not known
	Cost     *float64 `json:"cost"`
	Missing  string   `json:"missing,omitempty"` // what would have to be told for a cost
}

// An Estimate is what a plan costs, as far as prices and use are known.
type Estimate struct {
	Of       string  `json:"of,omitempty"`
	Source   string  `json:"source"`
	AsOf     string  `json:"as_of,omitempty"`
	Currency string  `json:"currency,omitempty"`
	Items    []Item  `json:"items"`
	Total    float64 `json:"total"`    // of the items whose cost is known
	Complete bool    `json:"complete"` // all of them
}

// Estimate multiplies.
func (p Price) Estimate(u Use) Estimate {
	e := Estimate{Of: p.Of, Source: p.Source, AsOf: p.AsOf, Currency: p.Currency, Complete: true}
	if p.Name == "" {
		e.Source = "the command line"
	}
	missing := ""
	switch {
	case u.MemoryMB <= 0 && u.Duration <= 0:
		missing = "--memory-mb and --request-duration"
	case u.MemoryMB <= 0:
		missing = "--memory-mb"
	case u.Duration <= 0:
		missing = "--request-duration"
	}
	e.add("requests", "million", u.Requests/1e6, p.Million, "", "million=…")
	e.add("compute", "GB-second", u.Requests*p.gbSeconds(u), p.GBSecond, missing, "gb_second=…")
	missing = ""
	if u.ResponseSize <= 0 {
		missing = "--response-size"
	}
	e.add("egress", "GB", u.Requests*float64(u.ResponseSize)/1e9, p.EgressGB, missing, "egress_gb=…")
	return e
}

// gbSeconds is what one request is billed for.
func (p Price) gbSeconds(u Use) float64 {
	d, mb := max(u.Duration, p.LeastDuration), u.MemoryMB
	if p.DurationStep > 0 {
		d = (d + p.DurationStep - 1) / p.DurationStep * p.DurationStep
	}
	if p.MemoryStepMB > 0 {
		mb = (mb + p.MemoryStepMB - 1) / p.MemoryStepMB * p.MemoryStepMB
	}
	return float64(mb) / 1024 * d.Seconds()
}

func (e *Estimate) add(what, unit string, quantity, price float64, unused, unpriced string) {
	item := Item{What: what, Unit: unit, Missing: unused}
	if unused == "" {
		item.Quantity = &quantity
	}
	switch {
	case math.IsNaN(price) && unused != "":
		item.Missing = "--price " + unpriced + ", " + unused
	case math.IsNaN(price):
		item.Missing = "--price " + unpriced
	default:
		item.Price = &price
	}
	if item.Missing == "" {
		item.Cost = new(quantity * price)
		e.Total += *item.Cost
	} else {
		e.Complete = false
	}
	e.Items = append(e.Items, item)
}
