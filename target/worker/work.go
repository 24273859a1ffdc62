package worker

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What the workers of a runtime do with the service time.
const (
	Sleep = "sleep" // wait for it: the study's simulated inference
	CPU   = "cpu"   // burn it, as CPU time of the worker
	Image = "image" // resize an image, whole times and at least once, until it is burned
)

// works is the registry, with what help says about each.
var works = map[string]string{
	Sleep: "wait for the service time",
	CPU:   "burn the service time as CPU time, by the worker's own CPU clock",
	Image: fmt.Sprintf("resize %d×%d to %d×%d, at least once, until the service time is burned as CPU time",
		imageWidth, imageHeight, thumbWidth, thumbHeight),
}

// Works lists the kinds of work, sorted.
func Works() []string { return slices.Sorted(maps.Keys(works)) }

// WorkHelp is one line about a kind of work.
func WorkHelp(name string) string { return works[name] }

// Sizes of the image that is resized and of the result, the same in every
// runtime: a 720p picture and its thumbnail.
const (
	imageWidth, imageHeight = 1280, 720
	thumbWidth, thumbHeight = 160, 90
)

// roundsPerLook is how many rounds of arithmetic there are between two looks
// at the CPU clock: about 10 µs, so that the system call of the look is a few per
// cent of the burned time and a burn overshoots by no more than that.
const roundsPerLook = 8192

// rounds is arithmetic that neither memory nor the compiler can shorten: a
// xorshift generator (Marsaglia 2003). Forked children run it too.
//
//go:nosplit
//go:norace
func rounds(x uint64) uint64 {
	for range roundsPerLook {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// checkWork names a kind of work that does not exist.
func checkWork(name string) error {
	if _, ok := works[name]; !ok {
		return fmt.Errorf("work %q: unknown (have %s)", name, strings.Join(Works(), ", "))
	}
	return nil
}
