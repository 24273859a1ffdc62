package node

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"edgebench/target/proctest"
)

// BenchmarkRoundTrip sets the node beside the same node on net/http: a round trip
// through a worker process, two processes, a slice of load for each in turn, so
// that whatever else the machine does meets them alike. Reported are the medians
// of the rates and, round by round, of the ratio; and of the server's processor
// time a request, that of its workers excepted, which a crowded machine moves less.
func BenchmarkRoundTrip(b *testing.B) {
	names := []string{"node", "nethttp"}
	sides, pids := make([]clients, len(names)), make([]int, len(names))
	for i, name := range names {
		var addr string
		addr, pids[i] = startChild(b, name)
		sides[i] = dial(b, addr, 16)
		sides[i].run(b, 2000) // every worker has served
	}
	const slice = 5000
	var rates [2][]float64
	var costs [2][]float64
	var ratios, cheaper []float64
	for b.Loop() {
		for i := range sides {
			cpu, begun := proctest.CPU(b, pids[i]), time.Now()
			sides[i].run(b, slice)
			rates[i] = append(rates[i], slice/time.Since(begun).Seconds())
			costs[i] = append(costs[i], (proctest.CPU(b, pids[i])-cpu).Seconds()*1e6/slice)
		}
		last := len(ratios)
		ratios = append(ratios, rates[0][last]/rates[1][last])
		cheaper = append(cheaper, costs[0][last]/costs[1][last])
	}
	for i, name := range names {
		b.ReportMetric(median(rates[i]), name+"-rps")
		b.ReportMetric(median(costs[i]), name+"-cpu-µs")
	}
	b.ReportMetric(median(ratios), "rps/nethttp")
	b.ReportMetric(median(cheaper), "cpu/nethttp")
	b.ReportMetric(0, "ns/op")
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// clients are connections with one request each at a time.
type clients []*client

type client struct {
	net.Conn
	in *bufio.Reader
}

func dial(b *testing.B, addr string, n int) clients {
	var all clients
	for range n {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { c.Close() })
		all = append(all, &client{c, bufio.NewReader(c)})
	}
	return all
}

func (all clients) run(b *testing.B, requests int) {
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() {
			for range requests / len(all) {
				if err := c.get("/invoke"); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// get sends a request and reads its answer, whose body is the line of okBody.
func (c *client) get(path string) error {
	if _, err := c.Write([]byte("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		return err
	}
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if bytes.Equal(line, okBody) {
			return nil
		}
	}
}

// roleVar makes the test binary a server in a process of its own.
const roleVar = "EDGEBENCH_TEST_ROLE"

// serveRole is main in such a process: the server ends when standard input does.
func serveRole(name string) error {
	runtime.GOMAXPROCS(2) // as target's main does
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	cfg := small()
	cfg.Workers, cfg.Pool.ServiceTime = 16, 0
	if name == "nethttp" {
		return serveRival(ctx, cfg)
	}
	n, err := Open(cfg)
	if err != nil {
		return err
	}
	go func() {
		<-n.Ready()
		fmt.Println(n.Addr())
	}()
	return n.Run(ctx)
}

func startChild(b *testing.B, role string) (addr string, pid int) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		hold.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("%s: %v", role, err)
		}
	})
	if _, err := fmt.Fscan(out, &addr); err != nil {
		b.Fatalf("%s: %v", role, err)
	}
	return addr, cmd.Process.Pid
}
