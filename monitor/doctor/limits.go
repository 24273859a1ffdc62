package doctor

import (
	"fmt"
	"strconv"
)

// otherFiles are open beside the connections: pollers, files of the run, samplers.
const otherFiles = 256

// timeWait is how long the end of a connection holds its local port, in s.
const timeWait = 60

var limits = []Check{
	{"open-files", "a connection is an open file, and without one a request is dropped", openFiles,
		// For who logs in from now on: a process cannot raise the limit of its parents.
		[]Setting{{NewFile, "etc/security/limits.d/90-edgebench.conf", "* - nofile 1048576\nroot - nofile 1048576\n"}}},
	{"local-ports", "each connection to one address takes a local port", localPorts,
		[]Setting{{File, "proc/sys/net/ipv4/ip_local_port_range", portRange}}},
	{"time-wait", "a closed connection holds its port for 60 s unless the kernel may use it again", reuse,
		[]Setting{{File, "proc/sys/net/ipv4/tcp_tw_reuse", "1"}}},
	{"accept-backlog", "a burst of new connections above the accept queue waits 1, 3 or 7 s for its retry", backlog,
		[]Setting{{File, "proc/sys/net/core/somaxconn", strconv.Itoa(backlogOfNode)}}},
	{"pid-max", "workers that start and end by the thousand use the numbers up, and a number comes again soon", pidMax,
		[]Setting{{File, "proc/sys/kernel/pid_max", strconv.Itoa(morePIDs)}}},
}

func openFiles(f *Facts) finding {
	soft, hard := f.Host.NofileSoft, f.Host.NofileHard
	if !soft.Valid || !hard.Valid {
		return unknown()
	}
	// The engine raises the soft limit to the hard one.
	need := int64(f.Need.Connections) + otherFiles
	found := fmt.Sprintf("%d allowed, about %d needed", hard.V, need)
	switch {
	case hard.V >= need:
		return finding{OK, found, ""}
	case f.Need.Asked:
		return finding{Fail, found, fmt.Sprintf("ulimit -Hn %d, or fewer connections in the profile", need)}
	}
	return finding{Warn, found, fmt.Sprintf("ulimit -Hn %d", need)}
}

// ports are how many local ports there are; 0 when not told.
func ports(f *Facts) int64 {
	first, last := f.Host.LocalPortFirst, f.Host.LocalPortLast
	if !first.Valid || !last.Valid || last.V < first.V {
		return 0
	}
	return last.V - first.V + 1
}

// portRange leaves the ports below it to servers: one that a connection holds
// cannot be listened on.
const portRange = "10240 65535"

const morePorts = `sysctl -w net.ipv4.ip_local_port_range="` + portRange + `"`

func localPorts(f *Facts) finding {
	n := ports(f)
	found := fmt.Sprintf("%d, %d connections needed", n, f.Need.Connections)
	switch {
	case n == 0:
		return unknown()
	case int64(f.Need.Connections) > n:
		return finding{Warn, found, morePorts}
	case n < 10_000:
		return finding{Note, found, morePorts}
	}
	return finding{OK, found, ""}
}

func reuse(f *Facts) finding {
	held := f.Need.Connects * timeWait
	found := "tcp_tw_reuse " + f.Host.TimeWaitReuse
	switch {
	case f.Host.TimeWaitReuse == "":
		return unknown()
	// 2 is for loopback alone: whether that is meant is not known here.
	case held > float64(ports(f)) && f.Host.TimeWaitReuse != "1":
		return finding{Warn, fmt.Sprintf("%s, %.0f new connections/s hold %.0f ports", found, f.Need.Connects, held),
			"sysctl -w net.ipv4.tcp_tw_reuse=1, or keep connections alive"}
	}
	return finding{OK, found, ""}
}

// backlogOfNode is what the bundled node asks listen for.
const backlogOfNode = 4096

func backlog(f *Facts) finding {
	accept, syn := f.Host.Somaxconn, f.Host.SynBacklog
	if !accept.Valid {
		return unknown()
	}
	found := fmt.Sprintf("somaxconn %d", accept.V)
	if syn.Valid {
		found += fmt.Sprintf(", tcp_max_syn_backlog %d", syn.V)
	}
	if accept.V >= backlogOfNode {
		return finding{OK, found, ""}
	}
	level := Note // of a target elsewhere this host's queues say nothing
	if f.Need.Bundled {
		level = Warn
	}
	return finding{level, found, fmt.Sprintf("sysctl -w net.core.somaxconn=%d", backlogOfNode)}
}

// fewPIDs is the default of a small machine; morePIDs the most on 64 bits.
const (
	fewPIDs  = 32_768
	morePIDs = 4_194_304
)

func pidMax(f *Facts) finding {
	n := f.Host.PIDMax
	switch {
	case !n.Valid:
		return unknown()
	case n.V > fewPIDs:
		return finding{OK, strconv.FormatInt(n.V, 10), ""}
	}
	return finding{Note, strconv.FormatInt(n.V, 10), fmt.Sprintf("sysctl -w kernel.pid_max=%d", morePIDs)}
}
