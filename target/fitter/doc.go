// Package fitter answers a policy's questions in a process of its own. A fit
// takes longer than the node's reactor may be away, and its memory is not the
// node's. The process is this binary executed again; it dies with the node.
//
// A fitter that is slow, hung or dead costs forecasts and nothing else: whoever
// asks is never kept waiting, and a process that ended is started again, after
// a pause that grows as long as it fails.
package fitter
