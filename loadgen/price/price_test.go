package price

import (
	"math"
	"strings"
	"testing"
	"time"
)

// The worked example of AWS: 3 million requests of 1 s with 512 MB are
// 1,500,000 GB-seconds and 0.60 USD of requests, before the free tier.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	p, err := Parse("aws-lambda,egress_gb=0.09")
	if err != nil {
		t.Fatal(err)
	}
	e := p.Estimate(Use{Requests: 3e6, MemoryMB: 512, Duration: time.Second, ResponseSize: 1000})
	want := []struct{ quantity, cost float64 }{{3, 0.60}, {1.5e6, 25.00005}, {3, 0.27}}
	for i, w := range want {
		if item := e.Items[i]; item.Cost == nil || math.Abs(*item.Quantity-w.quantity) > 1e-9 || math.Abs(*item.Cost-w.cost) > 1e-9 {
			t.Errorf("%+v, want %v", item, w)
		}
	}
	if !e.Complete || math.Abs(e.Total-25.87005) > 1e-9 {
		t.Errorf("%+v", e)
	}
}

func TestRoundingUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		use  Use
		want float64 // GB-seconds
	}{
		{"aws-lambda", Use{Requests: 1, MemoryMB: 128, Duration: 1500 * time.Microsecond}, 0.125 * 0.002},
		{"azure-functions", Use{Requests: 1, MemoryMB: 100, Duration: 20 * time.Millisecond}, 0.125 * 0.1},
		{"azure-functions", Use{Requests: 1, MemoryMB: 129, Duration: 101 * time.Millisecond}, 0.25 * 0.101},
	} {
		p, err := Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := *p.Estimate(c.use).Items[1].Quantity; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s %+v: %v GB-seconds, want %v", c.name, c.use, got, c.want)
		}
	}
}

// What is not known is said, and is in no total.
func TestUnknownPartsAreNamed(t *testing.T) {
	t.Parallel()
	p, err := Parse("million=0.4")
	if err != nil {
		t.Fatal(err)
	}
	e := p.Estimate(Use{Requests: 1e6, MemoryMB: 256})
	if e.Complete || e.Total != 0.4 || e.Source != "the command line" {
		t.Errorf("%+v", e)
	}
	for i, want := range []string{"", "--price gb_second=…, --request-duration", "--price egress_gb=…, --response-size"} {
		if e.Items[i].Missing != want || (e.Items[i].Cost == nil) != (want != "") {
			t.Errorf("%+v, want %q missing", e.Items[i], want)
		}
	}
}

func TestFaultsOfPrices(t *testing.T) {
	t.Parallel()
	_, err := Parse("aws-lamda,milion=1,million=-1,gb_second=NaN,million=1,azure-functions")
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{"did you mean aws-lambda?", "did you mean million?", `million="-1"`, `gb_second="NaN"`, "comes first"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

func TestEveryRecipeTellsItsSource(t *testing.T) {
	t.Parallel()
	for _, r := range Recipes() {
		if r.Of == "" || !strings.HasPrefix(r.Source, "https://") || r.AsOf == "" || r.Currency == "" || !(r.Million > 0 && r.GBSecond > 0) {
			t.Errorf("%+v", r)
		}
	}
}
