package witness

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

func start(t *testing.T, plan Plan) *Witness {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	core := 0
	for !set.IsSet(core) {
		core++
	}
	w, err := Start(t.Context(), core, plan)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

func dial(t *testing.T, w *Witness) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(w.URL, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

func exchange(t *testing.T, conn net.Conn, answers *bufio.Reader, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if _, err := io.WriteString(conn, part); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "hello\n" {
		t.Fatalf("%q, %v", body, err)
	}
}

func TestArrivalsAreWhenTheRequestCame(t *testing.T) {
	t.Parallel()
	w := start(t, Plan{})
	conn := dial(t, w)
	answers := bufio.NewReader(conn)
	var before, after []int64
	for range 5 {
		before = append(before, time.Now().UnixNano())
		exchange(t, conn, answers, request)
		after = append(after, time.Now().UnixNano())
	}
	exchange(t, conn, answers, "GET / HTTP/1.1\r\n", "Host: x\r\n\r", "\n") // in pieces it is one
	seen, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if len(seen.UnixNS) != 6 {
		t.Fatalf("%d arrivals of 6", len(seen.UnixNS))
	}
	for i, at := range seen.UnixNS[:5] {
		if at < before[i] || at > after[i] {
			t.Errorf("request %d arrived at %d, was sent after %d and answered before %d", i, at, before[i], after[i])
		}
	}
	t.Logf("%d of 6 instants by the kernel", seen.ByKernel)
}

func TestStalls(t *testing.T) {
	t.Parallel()
	const stall = 200 * time.Millisecond
	w := start(t, Plan{Stalls: []time.Duration{time.Millisecond}, Stall: stall})
	conn := dial(t, w)
	answers := bufio.NewReader(conn)
	for range Settle {
		exchange(t, conn, answers, request)
	}
	longest := time.Duration(0)
	for end := time.Now().Add(2 * stall); time.Now().Before(end); {
		began := time.Now()
		exchange(t, conn, answers, request)
		longest = max(longest, time.Since(began))
	}
	if longest < stall/2 { // whoever asks all the time waits for most of it
		t.Errorf("the longest wait was %v, with a stall of %v", longest, stall)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
}

func TestAWitnessThatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	if err := run("{", strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), variable) {
		t.Errorf("got %v", err)
	}
}

func TestStampRefusesOtherMessages(t *testing.T) {
	t.Parallel()
	for _, control := range [][]byte{nil, make([]byte, 15), make([]byte, 32)} {
		if at, found := stamp(control); found {
			t.Errorf("%d bytes are read as %d", len(control), at)
		}
	}
}
