// Package live shows a run, or a batch of runs, to browsers while it goes on. A
// Feed keeps what there is to show, thinned to a bounded size, and passes what is
// new to its watchers; a Server brings it to browsers and takes the one command
// there is: stop. Nothing in here ever waits for a browser: one that does not
// read loses what it did not read, is told so, and gets the whole once more.
package live
