package model_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"edgebench/analysis/qpn"
	"edgebench/profiles/model"
)

// An imported model can be swept: at twice its own rate its one station is
// M/M/1 at load 0.5.
func TestImported(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mm1.jsim")
	const law = `<subParameter classPath="s.ServiceTimeStrategy"><subParameter classPath="r.Exponential"/><subParameter name="distrPar"><subParameter name="lambda"><value>%s</value></subParameter></subParameter></subParameter>`
	text := `<sim name="mm1"><userClass name="C" type="open" referenceSource="S"/>
<node name="S"><section className="RandomSource"><parameter name="ServiceStrategy"><refClass>C</refClass>` + fmt.Sprintf(law, "1") + `</parameter></section>
<section className="ServiceTunnel"/><section className="Router"/></node>
<node name="Q"><section className="Queue"/><section className="Server"><parameter name="maxJobs"><value>1</value></parameter>
<parameter name="ServiceStrategy"><refClass>C</refClass>` + fmt.Sprintf(law, "4") + `</parameter></section><section className="Router"/></node>
<node name="K"><section className="JobSink"/></node><connection source="S" target="Q"/><connection source="Q" target="K"/></sim>`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Lambda != 1 || m.Name != "mm1" {
		t.Errorf("lambda %v, name %q", m.Lambda, m.Name)
	}
	points, err := qpn.Sweep(t.Context(), m, []float64{2, 8}, qpn.Options{Departures: 20_000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := points[0].Measures.R.Mean; math.Abs(r-0.5) > 0.02 {
		t.Errorf("R = %v, want 0.5", r)
	}
	if v := points[1].Verdict; v != qpn.Growing {
		t.Errorf("at twice the service rate: %s, want growing", v)
	}
	if _, err := model.Load(path, sets("mu", "3")); err == nil {
		t.Error("an imported model took a parameter")
	}
}
