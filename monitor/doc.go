// Package monitor samples the kernel's account of a node and of the host it
// runs on: memory and CPU of a process tree, network and throttling counters,
// and the host facts that a measurement depends on. One file reads one kernel
// file; an FS made from a captured /proc is the whole test rig.
//
// It refuses to make numbers up. A process that has vanished, that may not be
// read or that is a zombie is counted as missing and is in no sum; a kernel
// file that does not exist is an absent fact; a file that says something
// unexpected is an error with its path and the offending text. A process is
// its pid with its start time, because pids are used again.
//
// The process files are read raw, not through gopsutil: files kept open cost
// a tenth of its lookup by pid, they cannot come to mean another process, and
// gopsutil gives zeros with a nil error for a zombie. gopsutil serves the host
// facts that take many files and cases (virtualisation, memory, boot time).
package monitor
