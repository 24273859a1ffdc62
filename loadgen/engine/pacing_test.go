package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"edgebench/profiles/arrival"
)

// A pacedSend is a request and when a shard under a manual clock sent it.
type pacedSend struct{ planned, sent int64 }

// pacedShard plays shard number of so many under a manual clock, woken up to
// jitter late, and as late as the end of the stalls it falls into.
func pacedShard(s *arrival.Schedule, p Precision, l Late, number, shards uint64, jitter int64, stalls [][2]time.Duration) (sends []pacedSend, dropped int) {
	random := rand.New(rand.NewPCG(1, number))
	pace, stream, now := newPacer(p, l), s.Stream(), int64(0)
	for a, more := stream.Next(); more; a, more = stream.Next() {
		if a.Index%shards != number {
			continue
		}
		pace.plan(int64(a.At))
		if pace.due > now {
			now = pace.due + random.Int64N(jitter+1)
		}
		for _, stall := range stalls {
			if now >= int64(stall[0]) && now < int64(stall[1]) {
				now = int64(stall[1])
			}
		}
		if pace.expired(now) {
			dropped++
			continue
		}
		pace.sent(now)
		sends = append(sends, pacedSend{int64(a.At), now})
	}
	return sends, dropped
}

func lawSchedule(t *testing.T, law string, length time.Duration, rates ...float64) *arrival.Schedule {
	t.Helper()
	l, err := arrival.NewLaw(law, nil)
	if err != nil {
		t.Fatal(err)
	}
	var phases []arrival.Phase
	for i, rate := range rates {
		phases = append(phases, arrival.Phase{Name: fmt.Sprint(i), Cycle: 1, Length: length, Curve: arrival.Constant(rate)})
	}
	s, err := arrival.NewSchedule(phases, l, 7)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// C16: after a stall of 10 s everything is sent in the end, and in no 100 ms
// is there more than 150 % of what the plan has in as much.
func TestCappedAfterAStall(t *testing.T) {
	t.Parallel()
	const limit = 1.5
	window := int64(capWindow)
	for _, law := range []string{"even", "poisson"} {
		for _, p := range []Precision{{}, {Quantum: time.Millisecond}, {Quantum: 5 * time.Millisecond}} {
			t.Run(fmt.Sprint(law, p.Quantum), func(t *testing.T) {
				t.Parallel()
				s := lawSchedule(t, law, 20*time.Second, 1000, 0, 3000)
				stalls := [][2]time.Duration{{5 * time.Second, 15 * time.Second}, {41 * time.Second, 41500 * time.Millisecond}}
				sends, dropped := pacedShard(s, p, Late{Cap: limit}, 0, 1, int64(hiccup), stalls)
				if dropped != 0 || float64(len(sends)) < 0.95*s.Expected() {
					t.Fatalf("%d sent, %d dropped of about %g", len(sends), dropped, s.Expected())
				}
				first := 0
				for last := range sends {
					for sends[last].sent-sends[first].sent > window {
						first++
					}
					if span := sends[last].planned - sends[first].planned; float64(span) > limit*float64(window) {
						t.Fatalf("at %v what was planned within %v is sent within %v", time.Duration(sends[first].sent),
							time.Duration(span), time.Duration(sends[last].sent-sends[first].sent))
					}
				}
				// Ten seconds at half a speed more are made up in twenty, and then
				// nothing is late any more.
				end := sends[len(sends)-1]
				if lag := end.sent - end.planned; lag > int64(hiccup+p.Quantum) {
					t.Errorf("still %v late at the end", time.Duration(lag))
				}
			})
		}
	}
}

// Shards that each keep the cap keep it together.
func TestCappedShards(t *testing.T) {
	t.Parallel()
	s := lawSchedule(t, "even", 20*time.Second, 1000)
	var instants []int64
	const shards = 3
	for n := range uint64(shards) {
		begin := time.Duration(2+n) * time.Second // not all at once
		sends, _ := pacedShard(s, Precision{}, Late{Cap: 1.5}, n, shards, int64(hiccup), [][2]time.Duration{{begin, 6 * time.Second}})
		for _, x := range sends {
			instants = append(instants, x.sent)
		}
	}
	slices.Sort(instants)
	if len(instants) != 20_000 {
		t.Fatalf("%d sent", len(instants))
	}
	const most = 150 + shards // each shard's part is a whole number
	for i := range len(instants) - most {
		if d := instants[i+most] - instants[i]; d < int64(capWindow) {
			t.Fatalf("%d requests in %v at %v", most+1, time.Duration(d), time.Duration(instants[i]))
		}
	}
}

// Without a cap what was missed is sent at once, and a bound on lag drops it.
func TestSendAndDropAfterAStall(t *testing.T) {
	t.Parallel()
	s := lawSchedule(t, "even", 10*time.Second, 1000)
	stalls := [][2]time.Duration{{2 * time.Second, 3 * time.Second}}
	sends, _ := pacedShard(s, Precision{}, Late{}, 0, 1, 0, stalls)
	atEnd := 0
	for _, x := range sends {
		if x.sent == int64(3*time.Second) {
			atEnd++
		}
	}
	if len(sends) != 10_000 || atEnd != 1001 {
		t.Errorf("%d sent, %d of them at the end of the stall", len(sends), atEnd)
	}
	bound := 10 * time.Millisecond
	sends, dropped := pacedShard(s, Precision{}, Late{Drop: bound}, 0, 1, 0, stalls)
	if dropped != 990 || len(sends) != 9010 {
		t.Errorf("%d dropped, %d sent", dropped, len(sends))
	}
	for _, x := range sends {
		if x.sent-x.planned > int64(bound) {
			t.Fatalf("sent %v late", time.Duration(x.sent-x.planned))
		}
	}
}

// A quantum delays by less than itself, and lets many leave together.
func TestQuantum(t *testing.T) {
	t.Parallel()
	const quantum = 2 * time.Millisecond
	s := lawSchedule(t, "poisson", 2*time.Second, 5000)
	sends, _ := pacedShard(s, Precision{Quantum: quantum}, Late{}, 0, 1, 0, nil)
	wakings := map[int64]bool{}
	for _, x := range sends {
		if x.sent%int64(quantum) != 0 || x.sent < x.planned || x.sent-x.planned >= int64(quantum) {
			t.Fatalf("planned at %v, sent at %v", time.Duration(x.planned), time.Duration(x.sent))
		}
		wakings[x.sent] = true
	}
	if len(wakings) > 1001 {
		t.Errorf("%d requests left at %d instants", len(sends), len(wakings))
	}
}

func TestPacingFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		precision Precision
		late      Late
		want      string
	}{
		{Precision{Quantum: -1}, Late{}, "quantum -1ns"},
		{Precision{Quantum: time.Second, Spin: true}, Late{}, "spin"},
		{Precision{}, Late{Drop: -1}, "drop after -1ns"},
		{Precision{Quantum: time.Second}, Late{Drop: time.Millisecond}, "quantum of 1s"},
		{Precision{}, Late{Cap: 1}, "at least 1.01"},
		{Precision{}, Late{Cap: 2, Drop: time.Second}, "want one of them"},
	} {
		_, err := New(Config{Precision: c.precision, Late: c.late})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v %+v: %v", c.precision, c.late, err)
		}
	}
}

func TestShardsFollowTheRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		peak       float64
		processors int
		precision  Precision
		want       int
	}{
		{0, 4, Precision{}, 1},
		{shardRate, 4, Precision{}, 1},
		{shardRate + 1, 4, Precision{}, 2},
		{1e9, 4, Precision{}, 4},
		{1e9, 4, Precision{Spin: true}, 3},
		{1e9, 1, Precision{Spin: true}, 1},
	} {
		if got := shardsFor(c.peak, c.processors, c.precision); got != c.want {
			t.Errorf("%+v: %d shards", c, got)
		}
	}
	ramp := []arrival.Phase{{Length: time.Second, Curve: arrival.Linear{From: 5, To: 90, Length: time.Second}}, {Length: 1, Curve: arrival.Constant(7)}}
	if peak := Peak(ramp); peak != 90 {
		t.Errorf("peak %g", peak)
	}
}
