package draw_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/draw"
	"edgebench/analysis/qpn/net"
)

var update = flag.Bool("update", false, "write the golden files")

// sample has every shape: families, both kinds of places and transitions, a
// cycle, an inhibitor, a test arc, a weight, a window.
func sample(t *testing.T) *net.Net {
	t.Helper()
	law, err := dist.NewExponential(0.5)
	if err != nil {
		t.Fatal(err)
	}
	request := func(p string) net.Arc { return net.Arc{Place: p, Colour: "request"} }
	token := func(p string, n int) net.Arc { return net.Arc{Place: p, Colour: "token", N: n} }
	n := &net.Net{
		Name:    `sample <"&">`,
		Colours: []net.Colour{{Name: "request"}, {Name: "token", Plain: true}},
		Places:  []net.Place{{Name: "front", Capacity: 9}, {Name: "wanted"}},
		Transitions: []net.Transition{
			{Name: "arrive", Law: law, Modes: []net.Mode{{Out: []net.Arc{request("front")}}}},
			{Name: "admit"}},
	}
	for _, i := range []string{"[1]", "[2]"} {
		n.Places = append(n.Places,
			net.Place{Name: "token" + i, Initial: []net.Tokens{{Colour: "token", N: 3}}},
			net.Place{Name: "instance" + i, Queue: &net.Queue{Servers: 2, Service: []net.Service{{Colour: "request", Law: law}}}})
		n.Transitions[1].Modes = append(n.Transitions[1].Modes, net.Mode{
			In: []net.Arc{request("front"), token("token"+i, 2)}, Out: []net.Arc{request("instance" + i)}, Inhibit: []net.Arc{{Place: "wanted"}}})
		n.Transitions = append(n.Transitions, net.Transition{Name: "finish" + i, Modes: []net.Mode{
			{In: []net.Arc{request("instance" + i)}, Out: []net.Arc{token("token"+i, 2)}, Test: []net.Arc{token("token"+i, 1)}}}})
	}
	n.Windows = []net.Window{{Name: "watch", Every: 1, Above: 0.7, Busy: []string{"instance[1]", "instance[2]"}, Over: []string{"token[1]"}, Put: []net.Arc{token("wanted", 1)}}}
	return n
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(io.Writer, *net.Net) error{"sample.svg": draw.SVG, "sample.dot": draw.DOT} {
		var got bytes.Buffer
		if err := write(&got, sample(t)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got; -update rewrites it)\n%s", name, diff)
		}
	}
}

// The picture is well-formed XML, every family is drawn once, and no name gets
// out of its quotes.
func TestWellFormed(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := draw.SVG(&out, sample(t)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "instance[i], i = 1…2"); n != 1 {
		t.Errorf("the family is drawn %d times", n)
	}
	for d := xml.NewDecoder(&out); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestFaultyNet(t *testing.T) {
	t.Parallel()
	n := sample(t)
	n.Transitions[0].Modes[0].Out[0].Place = "nowhere"
	if err := draw.SVG(io.Discard, n); err == nil || !strings.Contains(err.Error(), `unknown place "nowhere"`) {
		t.Errorf("error %v", err)
	}
}
