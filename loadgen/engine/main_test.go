package engine

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// serveVariable makes the test binary a server of its own process: what a run
// costs is measured without the cost of answering it.
const serveVariable = "ENGINE_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		serve()
		return
	}
	os.Exit(m.Run())
}

// serve answers until its standard input ends, which it does with the test.
func serve() {
	runtime.GOMAXPROCS(1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr())
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}()
	body := []byte("pong")
	_ = fasthttp.Serve(listener, func(ctx *fasthttp.RequestCtx) { ctx.SetBody(body) })
}

// process starts a server in a process of its own and returns its address.
func process(t testing.TB) (address string, server *os.Process) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	address, err = bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("no address from the server process: %v", err)
	}
	return strings.TrimSpace(address), cmd.Process
}
