package model_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"edgebench/analysis/qpn"
	"edgebench/profiles/model"
)

var full = flag.Bool("full", false, "simulate the reference with 10 × 200,000 departures a row (about 2 minutes of CPU)")

// referenceModel says which model and parameters a row of the reference is.
func referenceModel(t *testing.T, name, params string) (string, []model.Set) {
	t.Helper()
	text := map[string]string{}
	switch {
	case name == "MMinf":
		return "spr", sets("mu", field(t, params, "mu="), "limit", "off")
	case name == "MMc":
		text["arrivals"] = "poisson"
		fallthrough
	case name == "H2Mc":
		text["instances"], text["mu"] = field(t, params, "c="), field(t, params, "mu=")
		return "spr", asSets(text)
	case strings.HasPrefix(name, "MBS-static"):
		text["n"], text["mu"], text["scaling"] = field(t, params, "F="), field(t, params, "mu="), "off"
		if name == "MBS-static-random" {
			text["routing"] = "random"
		}
		return "mbs", asSets(text)
	}
	n, rest, _ := strings.Cut(params, "x")
	text["n"] = n
	text["k"], _, _ = strings.Cut(rest, " ")
	switch {
	case strings.Contains(params, "JSQ"):
		text["order"] = "jsq"
	case strings.Contains(params, "random-free"):
		text["order"] = "random-free"
	case strings.Contains(params, "own server"):
		text["server"] = "token"
	}
	return "cls", asSets(text)
}

func field(t *testing.T, params, key string) string {
	t.Helper()
	_, after, ok := strings.Cut(params, key)
	if !ok {
		t.Fatalf("params %q: no %s", params, key)
	}
	v, _, _ := strings.Cut(after, " ")
	return v
}

func sets(kv ...string) (out []model.Set) {
	for i := 0; i < len(kv); i += 2 {
		out = append(out, model.Set{Key: kv[i], Value: kv[i+1]})
	}
	return out
}

func asSets(m map[string]string) (out []model.Set) {
	for k, v := range m {
		out = append(out, model.Set{Key: k, Value: v})
	}
	return out
}

// At least 97 % of the rows of the reference lie inside their simulated 99 %
// interval, in R and in N.
func TestReference(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 155 models")
	}
	t.Parallel()
	f, err := os.Open("../../analysis/qpn/testdata/queueing.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	options := qpn.Options{Departures: 20_000, Level: 0.99, Workers: 1}
	if *full {
		options.Departures = 200_000
	}
	var (
		mu     sync.Mutex
		missed []string
	)
	t.Run("rows", func(t *testing.T) {
		for _, row := range rows[1:] {
			t.Run(fmt.Sprint(row[:3]), func(t *testing.T) {
				t.Parallel()
				name, sets := referenceModel(t, row[0], row[1])
				m, err := model.Load(name, sets)
				if err != nil {
					t.Fatal(err)
				}
				var v [4]float64 // lambda, X, R, N
				for i := range v {
					if v[i], err = strconv.ParseFloat(row[2+i], 64); err != nil {
						t.Fatal(err)
					}
				}
				points, err := qpn.Sweep(t.Context(), m, v[:1], options, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := points[0].Measures
				if points[0].Exact == nil {
					t.Errorf("the model knows no exact value")
				}
				if !got.R.Covers(v[2]) || !got.N.Covers(v[3]) {
					mu.Lock()
					defer mu.Unlock()
					missed = append(missed, fmt.Sprintf("%v: R %v (exact %v), N %v (exact %v)", row[:3], got.R, v[2], got.N, v[3]))
				}
			})
		}
	})
	t.Logf("%d of %d rows outside their 99 %% interval\n%s", len(missed), len(rows)-1, strings.Join(missed, "\n"))
	if len(missed) > (len(rows)-1)*3/100 {
		t.Errorf("more than 3 %% of the rows are outside")
	}
}
