package pool

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the expected commands of testdata/*.txt")

// TestScenarios plays testdata/*.txt. A line is a setting (`set key value…`), a
// comment, an input (`500ms arrive 7`), or, indented, a command that followed
// from the input before or from a deadline between it and the next.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got; -update rewrites it):\n%s", file, diff)
			}
		})
	}
}

// play returns the scenario with the commands that really followed.
func play(t *testing.T, text string) string {
	var out strings.Builder
	cfg, name, workers, params := study(), "static", 0, map[string]float64{}
	var p *Pool
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "  "):
			continue
		case len(fields) == 0 || fields[0] == "#":
		case fields[0] == "set":
			if err := set(&cfg, &name, &workers, params, fields[1:]); err != nil {
				t.Fatalf("line %d: %q: %v", n+1, line, err)
			}
		default:
			now, err := time.ParseDuration(fields[0])
			if err != nil {
				t.Fatalf("line %d: %q: %v", n+1, line, err)
			}
			if p == nil {
				p = build(t, cfg, name, "", params, workers)
			}
			for p.Deadline() < now {
				at := p.Deadline()
				print(&out, p, at, p.Advance(at))
			}
			out.WriteString(line + "\n")
			print(&out, p, now, input(t, p, now, fields[1:]))
			continue
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

func set(cfg *Config, name *string, workers *int, params map[string]float64, fields []string) (err error) {
	key, value := fields[0], fields[1]
	switch key {
	case "policy":
		*name = value
	case "workers":
		*workers, err = strconv.Atoi(value)
	case "max_workers":
		cfg.MaxWorkers, err = strconv.Atoi(value)
	case "max_oneoffs":
		cfg.MaxOneOffs, err = strconv.Atoi(value)
	case "queue_limit":
		cfg.QueueLimit, err = strconv.Atoi(value)
	case "miss":
		cfg.Miss, err = ParseMiss(value)
	case "start_delay":
		cfg.StartDelay, err = time.ParseDuration(value)
	case "tick_phase":
		cfg.TickPhase, err = time.ParseDuration(value)
	default:
		params[key], err = strconv.ParseFloat(value, 64)
	}
	return err
}

func input(t *testing.T, p *Pool, now time.Duration, fields []string) []Command {
	id := uint64(0)
	if len(fields) > 1 {
		n, err := strconv.ParseUint(fields[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		id = n
	}
	switch fields[0] {
	case "begin":
		return p.Begin(now)
	case "arrive":
		return p.Arrive(now, id)
	case "ready":
		return p.Ready(now, id)
	case "done":
		return p.Done(now, id, 500*time.Millisecond)
	case "died":
		return p.Died(now, id)
	case "failed":
		return p.StartFailed(now, id)
	case "cancel":
		p.Cancel(id)
		return nil
	case "advance":
		return p.Advance(now)
	case "close":
		return p.Close()
	}
	t.Fatalf("unknown input %q", fields[0])
	return nil
}

func print(out *strings.Builder, p *Pool, now time.Duration, commands []Command) {
	for _, c := range commands {
		fmt.Fprintf(out, "  %v %s", now, c.Op)
		switch c.Op {
		case Assign:
			fmt.Fprintf(out, " request %d worker %d %s queue %v start %v", c.Request, c.Worker, c.Path, c.QueueWait, c.StartWait)
		case Start, Stop:
			fmt.Fprintf(out, " worker %d %s", c.Worker, c.Reason)
		case Reject:
			fmt.Fprintf(out, " request %d %s", c.Request, c.Reason)
		case Decide:
			d := p.LastDecision()
			fmt.Fprintf(out, " target %d floor %d rate %.3g", d.Target, d.Floor, d.Rate)
			if d.Alarm != "" {
				fmt.Fprintf(out, " alarm %s S %.3g", d.Alarm, d.Sum)
			}
		}
		out.WriteByte('\n')
	}
}
