package fleet

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// fakeFlag, given to this test binary, makes it a target program in small.
const fakeFlag = "--fake="

var fakes = map[string]func(){
	"ready":     serve,
	"stubborn":  func() { signal.Ignore(syscall.SIGTERM); announce(); untilClosed() },
	"silent":    func() { fmt.Fprintln(os.Stderr, "still thinking"); untilClosed() },
	"talkative": func() { fmt.Println("good morning"); untilClosed() },
	"endless":   func() { fmt.Print(strings.Repeat("x", maxLine+1)); untilClosed() },
	"half":      func() { fmt.Println(`{"ready":true,"addr":"nowhere","pid":1}`); untilClosed() },
	"refusing":  func() { fmt.Fprintln(os.Stderr, "flag --policy: unknown"); os.Exit(2) },
	"done":      func() {},
	"owner":     own,
}

func TestMain(m *testing.M) {
	for _, arg := range os.Args[1:] {
		if name, ok := strings.CutPrefix(arg, fakeFlag); ok {
			fakes[name]()
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func announce() {
	fmt.Printf(`{"ready":true,"addr":"127.0.0.1:1","pid":%d,"policy":"ewma","runtime":"fork","version":"v1"}`+"\n", os.Getpid())
	fmt.Println("more output is of no interest")
	fmt.Fprintln(os.Stderr, "serving")
}

// serve ends at SIGTERM, which it can take before it says that it is ready.
func serve() {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	announce()
	<-term
}

// untilClosed is an attached node: it ends when standard input closes.
func untilClosed() { _, _ = io.Copy(io.Discard, os.Stdin) }

// own is a loadgen in small: it starts a node, prints its pid and waits to be killed.
func own() {
	n, err := Start(context.Background(), fake("stubborn"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(n.PID)
	select {}
}

func fake(name string) Config {
	return Config{Binary: "/proc/self/exe", Options: Defaults(), ExtraArgs: []string{fakeFlag + name}}
}
