package live

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/analysis/look/browsertest"
	"edgebench/analysis/rundir"
)

// evil is what a hostile target may have the node's events say.
const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>`

// serve serves a feed on a free port of 127.0.0.1 until the test ends.
func serve(t *testing.T, s *Server) *url.URL {
	t.Helper()
	l, err := Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	s.Serve(l)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func manifest(seconds int) *rundir.Manifest {
	m := rundir.NewManifest(rundir.ProducerLoadgen, time.Unix(1, 0))
	m.Profile, m.Mode, m.Target = "bursty "+evil, "ewma", "http://127.0.0.1:1/"+evil
	m.Planned, m.DurationNS = uint64(30*seconds), int64(seconds)*1e9
	half := m.DurationNS / 2
	m.Phases = []rundir.PhaseFact{{Name: "ramp", Cycle: 1, Kind: "ramp", LengthNS: half}, {Name: evil, Cycle: 1, Kind: "constant", Measure: "cold", StartNS: half, LengthNS: half}}
	return m
}

// play tells a feed of seconds from..to of a run with an alarm in each tenth.
func play(f *Feed, from, to int) {
	for i := from; i < to; i++ {
		at := int64(1e9) + int64(i)*1e9
		f.Second(rundir.Interval{Second: int64(i), Scheduled: 30, Sent: 30, OK: 29, Errors: 1, InFlight: int64(i % 7), LagP99NS: 1e6, LagMaxNS: 2e6, ResponseP50NS: 5e8, ResponseP90NS: 6e8, ResponseP99NS: 7e8, ResponseMaxNS: 8e8})
		f.Memory(&rundir.MonitorRow{TNS: int64(i) * 1e9, Workers: rundir.Number{Value: 5, Known: true}, PSSBytes: rundir.Number{Value: 1e8, Known: true}, RSSBytes: rundir.Number{Value: 9e8, Known: true}})
		f.Event(fmt.Appendf(nil, `{"unix_ns":%d,"event":"node_state","starting":1,"idle":2,"busy":%d,"oneoffs":0,"waiting":4}`, at, i%5))
		f.Event(fmt.Appendf(nil, `{"unix_ns":%d,"event":"decision","target":3,"rate_rps":30,"baseline_rps":%d,"cusum":1.5}`, at, 20+i%3))
		if i%10 == 5 {
			f.Event(fmt.Appendf(nil, `{"unix_ns":%d,"event":"alarm","target":3,"rate_rps":30,"alarm":"rise"}`, at))
			f.Event(fmt.Appendf(nil, `{"unix_ns":%d,"event":"error","reason":%q}`, at, evil))
		}
		f.SoFar(5e8, 7e8, 1e6)
		f.Flush()
	}
}

// TestInABrowser has one browser for all of it: starting one is what takes long.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	lookAndStop(t, b)
	comeAgain(t, b)
	lookAtABatch(t, b)
}

// lookAndStop looks at a run as people do, at the width of a phone and of a
// screen, light and dark; then it stops the run by keyboard.
func lookAndStop(t *testing.T, b *browsertest.Browser) {
	feed, stopped := NewFeed(), make(chan struct{})
	u := serve(t, &Server{Shows: []Show{{Feed: feed}}, Stop: func() { close(stopped) }})
	pages := map[string]*browsertest.Page{
		"390-light": b.Open(u.String(), 390, "light"), "1280-dark": b.Open(u.String(), 1280, "dark"),
	}
	if pictures := os.Getenv("LIVE_PICTURES"); pictures != "" { // a folder: the other two as well
		pages["390-dark"], pages["1280-light"] = b.Open(u.String(), 390, "dark"), b.Open(u.String(), 1280, "light")
	}
	for _, p := range pages {
		p.Await(`document.getElementById("state").textContent === "starting …"`)
	}
	feed.Begin(manifest(60), "")
	play(feed, 0, 40)
	for name, p := range pages {
		p.Await(`document.querySelectorAll("#plots figure:not([hidden]) canvas").length === 8`)
		p.Await(`document.getElementById("plot-cusum").getAttribute("aria-label") === "CUSUM: CUSUM 1.5"`)
		p.Await(`document.getElementById("card-offered").textContent.includes("1,200 of 1,800")`)
		for expression, want := range map[string]string{
			`document.documentElement.scrollWidth > innerWidth`:                                        "false",
			`document.querySelectorAll("img, script:not([src])").length`:                               "0",
			`document.getElementById("title").textContent`:                                             "bursty " + evil,
			`[...document.querySelectorAll("#log .error")].at(-1).textContent.includes("onerror")`:     "true",
			`document.getElementById("where").textContent.startsWith("phase " + ` + quoted(evil) + `)`: "true",
			`location.hash`: "",
		} {
			if got := p.Evaluate(expression); got != want {
				t.Errorf("%s: %s is %q, want %q", name, expression, got, want)
			}
		}
		if pictures := os.Getenv("LIVE_PICTURES"); pictures != "" {
			p.Picture(filepath.Join(pictures, name+".png"))
		}
	}
	p := pages["390-light"]
	p.Evaluate(`document.getElementById("stop").focus()`)
	p.Press("Enter")
	p.Await(`document.getElementById("ask").open`)
	p.Press("Escape") // asks once, and takes no for an answer
	p.Await(`!document.getElementById("ask").open`)
	select {
	case <-stopped:
		t.Fatal("stopped though the answer was no")
	default:
	}
	p.Press("Enter")
	p.Await(`document.getElementById("ask").open`)
	p.Press("Tab")
	p.Press("Enter")
	<-stopped
	feed.End("partial", "kept in runs/"+evil)
	for name, p := range pages {
		p.Await(`document.getElementById("verdict").textContent === "partial"`)
		if troubles := p.Troubles(); len(troubles) > 0 {
			t.Errorf("%s: troubles %q", name, troubles)
		}
		for _, address := range p.Requests() {
			if !strings.HasPrefix(address, "http://"+u.Host+"/") && !strings.HasPrefix(address, "data:") {
				t.Errorf("%s: asked for %s", name, address)
			}
		}
	}
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// comeAgain has a page lose its connection: it comes again and shows the whole,
// not twice.
func comeAgain(t *testing.T, b *browsertest.Browser) {
	feed := NewFeed()
	first := &Server{Shows: []Show{{Feed: feed}}}
	u := serve(t, first)
	feed.Begin(manifest(60), "")
	play(feed, 0, 10)
	p := b.Open(u.String(), 800, "light")
	p.Await(`document.querySelectorAll("#log .alarm").length === 1`)
	first.Close()
	p.Await(`document.getElementById("state").textContent.startsWith("connection lost")`)
	play(feed, 10, 30)
	port := u.Port()
	l, err := Listen(net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		t.Skipf("somebody took the port meanwhile: %v", err)
	}
	second := &Server{Shows: []Show{{Feed: feed}}}
	second.Serve(l)
	t.Cleanup(second.Close)
	p.Await(`document.querySelectorAll("#log .alarm").length === 3`)
	p.Await(`document.getElementById("card-offered").textContent.includes("900 of 1,800")`)
	feed.End("valid", "")
	p.Await(`document.getElementById("verdict").textContent === "valid"`)
}

// lookAtABatch looks at one of three trials on a phone, until it is over.
func lookAtABatch(t *testing.T, b *browsertest.Browser) {
	feed := NewFeed()
	part := func(id string) (*Feed, error) {
		if id != "0123456789abcdef" {
			return nil, errors.New("no such trial")
		}
		f := NewFeed()
		f.Begin(manifest(60), "")
		play(f, 0, 60)
		f.End("invalid", "")
		return f, nil
	}
	u := serve(t, &Server{
		Shows: []Show{{Name: "1", Label: "batch " + evil, Feed: feed, Part: part}, {Name: "2", Label: "another", Feed: NewFeed()}},
		Stop:  func() { t.Error("stopped") }, Stops: "ends trial " + evil,
	})
	trials := []Trial{
		{ID: "0123456789abcdef", Number: 1, Profile: evil, Mode: "ewma", State: "done", Verdict: "invalid", Attempt: 2, Length: 309},
		{ID: "1123456789abcdef", Number: 1, Profile: "p", Mode: "static", State: "claimed", Length: 309},
		{ID: "2123456789abcdef", Number: 2, Profile: "p", Mode: "static", State: "planned", Length: 309},
	}
	p := b.Open(u.String(), 390, "dark")
	p.Await(`document.querySelectorAll("#shows a").length === 2`)
	feed.Batch(&Batch{Name: "night " + evil, Done: 1, Invalid: 1, Running: 1, ToDo: 1, Left: 618, Trials: trials})
	p.Await(`document.querySelectorAll("#trials tr").length === 3`)
	for expression, want := range map[string]string{
		`document.querySelector("#trials tr").innerText.replace(/\s+/g, " ").includes("done invalid 2 5:09")`: "true",
		`document.querySelector("#trials .claimed").innerText.includes("running")`:                            "true",
		`document.getElementById("bar").getAttribute("aria-valuenow")`:                                        "1",
		`document.getElementById("card-batch-left").innerText.includes("10:18")`:                              "true",
		`document.documentElement.scrollWidth > innerWidth`:                                                   "false",
		`document.querySelectorAll("img").length`:                                                             "0",
		`document.querySelector("#ask p").textContent`:                                                        "ends trial " + evil,
		`document.querySelectorAll("#trials a").length`:                                                       "1",
		`document.getElementById("stop").hidden`:                                                              "false",
		`document.getElementById("run").hidden`:                                                               "true",
	} {
		if got := p.Evaluate(expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	if pictures := os.Getenv("LIVE_PICTURES"); pictures != "" {
		p.Picture(filepath.Join(pictures, "batch-390-dark.png"))
	}
	p.Evaluate(`document.querySelector("#trials a").focus()`)
	feed.Batch(&Batch{Name: "night", Done: 2, Trials: trials[:2]})
	p.Await(`document.querySelectorAll("#trials tr").length === 2 && document.activeElement === document.querySelector("#trials a")`)
	p.Press("Enter") // to the trial, and back to the batch
	p.Await(`document.getElementById("verdict").textContent === "invalid" && document.getElementById("card-offered").textContent.includes("1,800 of 1,800")`)
	if got := p.Evaluate(`document.getElementById("stop").hidden`); got != "true" {
		t.Error("a finished trial offers to stop the batch")
	}
	p.Evaluate(`document.querySelector("#shows a").focus()`)
	p.Press("Enter")
	p.Await(`document.querySelectorAll("#trials tr").length === 2`)
	feed.Batch(&Batch{Name: "night", Done: 3, Trials: trials[:1]})
	feed.End("valid", "every trial is over")
	p.Await(`document.getElementById("verdict").textContent === "valid" && document.querySelectorAll("#trials tr").length === 1`)
	if troubles := p.Troubles(); len(troubles) > 0 {
		t.Errorf("troubles %q", troubles)
	}
}
