package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A network is several hosts as far as the network goes: namespaces on one
// bridge, which is in that of the first, with addresses 10.77.0.1 and up.
type network struct{ names []string }

// newNetwork makes so many hosts, or skips the test where the kernel refuses.
func newNetwork(t *testing.T, hosts int) network {
	t.Helper()
	var n network
	for i := range hosts {
		name := fmt.Sprintf("eb%d-%d", os.Getpid(), i)
		if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
			t.Skipf("no network namespaces here, which take root and iproute2: %v: %s", err, out)
		}
		t.Cleanup(func() { ip(t, "netns", "del", name) }) // and with it its interfaces
		n.names = append(n.names, name)
	}
	hub := n.names[0]
	ip(t, "-n", hub, "link", "add", "br0", "type", "bridge")
	ip(t, "-n", hub, "addr", "add", n.address(0)+"/24", "dev", "br0")
	ip(t, "-n", hub, "link", "set", "br0", "up")
	for i, name := range n.names {
		ip(t, "-n", name, "link", "set", "lo", "up")
		if i == 0 {
			continue
		}
		port := fmt.Sprintf("p%d", i)
		ip(t, "-n", hub, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
		ip(t, "-n", hub, "link", "set", port, "master", "br0", "up")
		ip(t, "-n", name, "addr", "add", n.address(i)+"/24", "dev", "eth0")
		ip(t, "-n", name, "link", "set", "eth0", "up")
	}
	return n
}

func ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Errorf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func (n network) address(host int) string { return fmt.Sprintf("10.77.0.%d", host+1) }

// on has a command run on a host.
func (n network) on(t *testing.T, host int, c *command) *command {
	t.Helper()
	path, err := exec.LookPath("ip")
	if err != nil {
		t.Fatal(err)
	}
	c.Args = append([]string{"ip", "netns", "exec", n.names[host], c.Path}, c.Args[1:]...)
	c.Path = path
	return c
}
