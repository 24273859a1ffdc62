// Command job stands for a program that is pushed and started: it says that it is
// ready, and ends at SIGTERM; with "stubborn" it does not, with "parent" it has a
// child in a process group of its own, as a worker has.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	mode := "plain"
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	term := make(chan os.Signal, 1)
	switch mode {
	case "broken":
		fmt.Fprintln(os.Stderr, "no such batch")
		os.Exit(2)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		signal.Notify(term, syscall.SIGUSR1)
	case "parent":
		child := exec.Command("/proc/self/exe", "stubborn")
		child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := child.Start(); err != nil {
			panic(err)
		}
		fallthrough
	default:
		signal.Notify(term, syscall.SIGTERM)
	}
	fmt.Println("ready to serve")
	<-term
}
