// Package fleet starts and ends nodes, processes of the target program, for those
// who measure them. It decides where the program is found, when a node counts
// as ready and how it ends; it links nothing of the node, whose memory is measured.
//
// A node lives no longer than its owner: it is started attached, with a pipe as
// standard input, and ends when that pipe closes, be it by Stop or by the owner's death.
// It runs in a process group of its own, so that a Ctrl-C at the owner's terminal leaves it to the
// owner to end the load first and the node after it.
package fleet
