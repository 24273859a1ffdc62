package fitter

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"edgebench/target/arima"
	"edgebench/target/policy"
	"edgebench/target/proctest"
)

// brokenRole makes every fitter process end at once.
const brokenRole = "EDGEBENCH_TEST_FITTER_BROKEN"

func TestMain(m *testing.M) {
	if os.Args[0] == Name && os.Getenv(brokenRole) != "" {
		os.Exit(3)
	}
	Main()
	os.Exit(m.Run())
}

// A rig is a fitter whose answers and events go to channels.
type rig struct {
	*Fitter
	answers chan answer
	events  chan Event
}

func open(t *testing.T, hungAfter time.Duration) rig {
	t.Helper()
	r := rig{answers: make(chan answer, 100), events: make(chan Event, 10_000)}
	r.Fitter = Open(Options{
		Answered:  func(forecast []float64, err error) { r.answers <- answer{0, forecast, err} },
		Events:    func(e Event) { r.events <- e },
		HungAfter: hungAfter,
	})
	t.Cleanup(r.Close)
	return r
}

// await returns the next event of a kind.
func (r rig) await(kind EventKind) Event {
	for e := range r.events {
		if e.Kind == kind {
			return e
		}
	}
	return Event{}
}

func question() policy.Question {
	q := policy.Question{Order: arima.Order{P: 2, D: 1, Q: 2}, Ahead: 3}
	for i := range 40 {
		q.Series = append(q.Series, 10+5*math.Sin(float64(i)/3)+float64(i*i%7))
	}
	return q
}

func (r rig) ask(t *testing.T, q policy.Question) {
	t.Helper()
	if _, err := r.Forecast(q); err != policy.ErrPending {
		t.Errorf("forecast: %v, want %v", err, policy.ErrPending)
	}
}

// The process answers what the question itself answers, to the last bit.
func TestAnswers(t *testing.T) {
	t.Parallel()
	r := open(t, time.Hour)
	q := question()
	want, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r.ask(t, q)
		if a := <-r.answers; a.err != nil || !cmp.Equal(a.forecast, want) {
			t.Errorf("%v, %v; in process %v", a.forecast, a.err, want)
		}
	}
	q.Series = make([]float64, 40)
	_, want2 := q.Answer()
	r.ask(t, q)
	if a := <-r.answers; a.err == nil || a.err.Error() != want2.Error() {
		t.Errorf("constant series: %v, want %v", a.err, want2)
	}
	s := r.Stats()
	if s.Answers != 4 || s.Refused != 1 || s.Late+s.Ends != 0 || s.FitP50 <= 0 || s.FitP99 < s.FitP50 {
		t.Errorf("%+v", s)
	}
	r.Close()
	if err := unix.Kill(s.PID, 0); err != unix.ESRCH {
		t.Errorf("process %d after Close: %v", s.PID, err)
	}
	r.Close() // twice does no harm
}

// A process that does not answer makes the next questions late, is given up, and
// its successor answers.
func TestHungProcess(t *testing.T) {
	t.Parallel()
	r := open(t, time.Second)
	pid := r.await(FitterStart).PID
	proctest.Stop(t, pid)
	r.ask(t, question())
	r.ask(t, question())
	if e := r.await(ForecastLate); e.Waited <= 0 {
		t.Errorf("late: %+v", e)
	}
	if e := r.await(FitterEnd); e.PID != pid || !strings.Contains(e.Err.Error(), errHung.Error()) {
		t.Errorf("end: %+v", e)
	}
	// A busy machine may take so long to start the next that it counts as hung too.
	for {
		select {
		case e := <-r.events:
			if e.Kind == FitterStart {
				r.ask(t, question())
			}
		case a := <-r.answers:
			if a.err != nil || len(a.forecast) != 3 {
				t.Errorf("%+v", a)
			}
			return
		}
	}
}

// A process that is killed, idle or at work, is replaced, and a question lost
// with it blocks no other.
func TestKilledProcess(t *testing.T) {
	t.Parallel()
	r := open(t, time.Hour)
	for _, working := range []bool{false, true} {
		pid := r.await(FitterStart).PID
		if working {
			proctest.Stop(t, pid)
			r.ask(t, question())
			for len(r.questions) > 0 { // until the process has it
			}
		}
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if e := r.await(FitterEnd); e.PID != pid || !strings.Contains(e.Err.Error(), "killed") {
			t.Errorf("end: %+v", e)
		}
	}
	r.await(FitterStart)
	r.ask(t, question())
	if a := <-r.answers; a.err != nil {
		t.Error(a.err)
	}
	if s := r.Stats(); s.Ends != 2 || s.Late != 0 || s.PID == 0 {
		t.Errorf("%+v", s)
	}
}

// Not parallel: it sets the environment that processes begin with. While none
// comes up the newest question waits, and is answered by the first that does.
func TestProcessThatCannotStart(t *testing.T) {
	t.Setenv(brokenRole, "1")
	r := open(t, time.Hour)
	old := question()
	old.Order = arima.Order{P: 99} // would be refused
	r.ask(t, old)
	for range 2 {
		if e := r.await(FitterEnd); !strings.Contains(e.Err.Error(), "exit status 3") {
			t.Errorf("end: %+v", e)
		}
	}
	if err := os.Unsetenv(brokenRole); err != nil {
		t.Fatal(err)
	}
	r.ask(t, question())
	for {
		if a := <-r.answers; a.err == nil {
			break
		}
		r.ask(t, question()) // a broken process had taken the old question
	}
}

func TestCloseWhileStarting(t *testing.T) {
	t.Parallel()
	for range 20 {
		r := open(t, time.Hour)
		r.ask(t, question())
		r.Close()
	}
}
