package arrival

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Pinned: a change here changes every published schedule hash. They hold on every
// architecture; see the package comment.
func TestGoldenHashes(t *testing.T) {
	t.Parallel()
	h2, err := NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	lognormal, err := NewLognormal(0.5)
	if err != nil {
		t.Fatal(err)
	}
	weibull, err := NewWeibull(2.125)
	if err != nil {
		t.Fatal(err)
	}
	mmpp, err := NewMMPP([]float64{1, 20}, []float64{5, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	curves := []Phase{
		{Length: 60 * time.Second, Curve: Sine{20, 20, 7 * time.Second, time.Second}},
		{Length: 60 * time.Second, Curve: NewSteps([]Step{{1, time.Second}, {30, 2 * time.Second}})},
	}
	long := []Phase{{Length: 500 * time.Hour, Curve: Constant(50)}}
	tests := []struct {
		name   string
		phases []Phase
		law    Law
		seed   uint64
		want   string
	}{
		{"even", burstyRamp(), Even{}, 1, "689ba184cbfe7c5b0b557d6037014a82a41f529928f26bf9d8fe6ddcabdf343a"},
		{"even ignores the seed", burstyRamp(), Even{}, 2, "689ba184cbfe7c5b0b557d6037014a82a41f529928f26bf9d8fe6ddcabdf343a"},
		{"poisson", burstyRamp(), Poisson{}, 1, "f35d02e8823f45c2b10cea43fa4b2594fd20d272375a692f8d0a980249dff646"},
		{"h2", burstyRamp(), h2, 1, "d21653ffce232da0b12b9045f5e2bb3d2cbd887099323336bd886e0635369598"},
		{"h2, another seed", burstyRamp(), h2, 7, "be499eaee64bdaee1588b40c396474d315d215da7f261f66fd29e799ffbdede8"},
		{"a million of h2", []Phase{{Length: 1000 * time.Second, Curve: Constant(1000)}}, h2, 1, "5bb4836ea771da8ff7f36e23811aacb02e63c161863dcea8850854b7b14b60b5"},
		{"lognormal", burstyRamp(), lognormal, 1, "93013246107ef616ea243b175a3ae4cf4a53dcddc5036a99691033ad361e2e4e"},
		{"weibull", burstyRamp(), weibull, 1, "5eaec6235192f88d6bb69076ab2d1da8cc414733c4a67746b02ce9e980fb0c37"},
		{"mmpp", burstyRamp(), mmpp, 1, "6b601e037b89c7f3169e5a8e976304d71732af330afbf56e9e91397475609294"},
		{"sine and steps", curves, Even{}, 1, "eaae53afa53ee6c298676af60ba9273af4ae468f23eb5c8c16d811506caa939e"},
		{"sine and steps of mmpp", curves, mmpp, 1, "9eb6a0bf58591ef7b71f630e13a7718f2c4b3f07a30806240eca918027d7edf8"},
		{"parameters", long, h2, 1, "params:2e43ea15309a06a2eea41507e8dadaaee953186e0b24a9c01f84cb9e2c5c3c12"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := mustSchedule(t, tt.phases, tt.law, tt.seed)
			if got := s.Hash(); got != tt.want {
				t.Errorf("hash %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParamsHashCoversWhatMovesArrivals(t *testing.T) {
	t.Parallel()
	base := func() []Phase { return []Phase{{Name: "a", Length: 500 * time.Hour, Curve: Constant(50)}} }
	hash := func(law Law, seed uint64, change func(*Phase)) string {
		p := base()
		change(&p[0])
		d, err := mustSchedule(t, p, law, seed).Digest(context.Background())
		if err != nil || d.Walked() || d.Counts != nil {
			t.Fatalf("digest %+v, %v", d, err)
		}
		return d.Hash
	}
	same := func(*Phase) {}
	want := hash(Poisson{}, 1, same)
	if got := hash(Poisson{}, 1, func(p *Phase) { p.Name = "b" }); got != want {
		t.Error("the name of a phase changed the hash")
	}
	for name, got := range map[string]string{
		"seed":   hash(Poisson{}, 2, same),
		"law":    hash(Even{}, 1, same),
		"length": hash(Poisson{}, 1, func(p *Phase) { p.Length++ }),
		"rate":   hash(Poisson{}, 1, func(p *Phase) { p.Curve = Constant(51) }),
		"curve":  hash(Poisson{}, 1, func(p *Phase) { p.Curve = Linear{50, 50, p.Length} }),
	} {
		if got == want {
			t.Errorf("another %s has the same hash", name)
		}
	}
}

func TestDigestStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := mustSchedule(t, burstyRamp(), Even{}, 1)
	if _, err := s.Digest(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func BenchmarkDigest(b *testing.B) {
	s := mustSchedule(b, []Phase{{Length: 1000 * time.Second, Curve: Constant(1000)}}, Poisson{}, 1)
	for b.Loop() {
		if _, err := s.Digest(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/s.Expected(), "ns/arrival")
}
