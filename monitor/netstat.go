package monitor

import (
	"bytes"
	"errors"
	"os"
)

// netCounters are the counters of TCP that explain odd latencies, by file,
// group and field. gopsutil knows those of snmp only, and the overflows of the
// accept queue, which cost a client exactly 1, 3 or 7 s, are in netstat.
var netCounters = []struct{ file, group, field, key string }{
	{"netstat", "TcpExt", "ListenOverflows", "tcp_listen_overflows"},
	{"netstat", "TcpExt", "ListenDrops", "tcp_listen_drops"},
	{"netstat", "TcpExt", "TCPReqQFullDrop", "tcp_request_queue_drops"},
	{"netstat", "TcpExt", "TCPBacklogDrop", "tcp_backlog_drops"},
	{"netstat", "TcpExt", "TCPTimeouts", "tcp_timeouts"},
	{"netstat", "TcpExt", "TCPSynRetrans", "tcp_syn_retransmits"},
	{"snmp", "Tcp", "RetransSegs", "tcp_retransmits"},
	{"snmp", "Tcp", "AttemptFails", "tcp_connect_fails"},
	{"snmp", "Tcp", "EstabResets", "tcp_resets"},
}

// netInto adds the network counters of the network namespace of process pid,
// or of our own for 0.
func (f FS) netInto(c Counters, pid int) error {
	var errs []error
	for _, name := range []string{"netstat", "snmp"} {
		path := f.inProc("net/" + name)
		if pid != 0 {
			path = f.of(pid, "net/"+name)
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = parseNet(c, path, name, text)
		}
		if err != nil && !absent(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// parseNet reads pairs of lines, "Group: name name…" then "Group: n n…". A
// kernel without a counter leaves its key out.
func parseNet(c Counters, path, file string, text []byte) error {
	for len(text) > 0 {
		var names, values []byte
		names, text, _ = bytes.Cut(text, []byte("\n"))
		values, text, _ = bytes.Cut(text, []byte("\n"))
		group, names := nextField(names)
		again, values := nextField(values)
		if len(group) == 0 || !bytes.Equal(group, again) {
			return malformed(path, again, "values of group "+string(group))
		}
		if err := parseNetGroup(c, path, file, string(bytes.TrimSuffix(group, []byte(":"))), names, values); err != nil {
			return err
		}
	}
	return nil
}

func parseNetGroup(c Counters, path, file, group string, names, values []byte) error {
	for {
		var name, value []byte
		name, names = nextField(names)
		value, values = nextField(values)
		if len(name) == 0 || len(value) == 0 {
			if len(name) != len(value) {
				return malformed(path, append(name, value...), "as many values as names in group "+group)
			}
			return nil
		}
		for _, counter := range netCounters {
			if counter.file != file || counter.group != group || counter.field != string(name) {
				continue
			}
			n, ok := number(value)
			if !ok {
				return malformed(path, value, "a count of "+counter.field)
			}
			c[counter.key] = n
		}
	}
}
