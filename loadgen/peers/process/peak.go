package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// peakInterval is how often the peak of a running program is read. What it adds
// in its last interval may be missed.
const peakInterval = 50 * time.Millisecond

// watchPeak follows VmHWM of a process. The function it returns ends that and
// tells the last value. getrusage's maximum would not do: it begins with the
// resident set of whoever forked.
func watchPeak(pid int) func() int64 {
	stop, last := make(chan struct{}), make(chan int64)
	go func() {
		ticker := time.NewTicker(peakInterval)
		defer ticker.Stop()
		var peak int64
		for {
			if bytes, err := peakOf(pid); err == nil { // none for a zombie
				peak = max(peak, bytes)
			}
			select {
			case <-ticker.C:
			case <-stop:
				last <- peak
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-last
	}
}

func peakOf(pid int) (int64, error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	status, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return parsePeak(path, string(status))
}

func parsePeak(path, status string) (int64, error) {
	for line := range strings.Lines(status) {
		value, found := strings.CutPrefix(line, "VmHWM:")
		if !found {
			continue
		}
		kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: VmHWM %q: %w", path, strings.TrimSpace(value), err)
		}
		return kb << 10, nil
	}
	return 0, fmt.Errorf("%s: no VmHWM", path)
}
