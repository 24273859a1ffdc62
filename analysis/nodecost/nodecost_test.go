package nodecost

import (
	"strings"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	t.Parallel()
	c, err := ReadColdStart([]byte(`{"schema_version": 1, "runtimes": [{"runtime": "fork", "spawn_to_ready": {"n": 3, "p50_ns": 2000000}, "spawn_to_answer": {"n": 3, "p50_ns": 3000000}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := c.Runtime("fork"); !ok || *r.Ready.P50 != 2*time.Millisecond || r.Ready.P50Low != nil {
		t.Errorf("%+v", r)
	}
	if _, ok := c.Runtime("exec"); ok {
		t.Error("a runtime that was not measured")
	}
	p, err := ReadPredictor([]byte(`{"decisions": [{"policy": "ewma", "p99_ns": 90}]}`))
	if err != nil || p.Decisions[0].P99NS != 90 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	cold := func(b []byte) error { _, err := ReadColdStart(b); return err }
	cost := func(b []byte) error { _, err := ReadPredictor(b); return err }
	for _, c := range []struct {
		read       func([]byte) error
		text, want string
	}{
		{cold, ``, "unexpected end"},
		{cold, `{"schema_version": 2}`, "schema_version 2"},
		{cold, `{"schema_version": 1, "interrupted": true}`, "interrupted"},
		{cold, `{"schema_version": 1}`, "no runtime"},
		{cold, `{"schema_version": 1, "runtimes": [{"runtime": "fork"}]}`, `"fork" has no start`},
		{cost, `[]`, "cannot unmarshal"},
		{cost, `{}`, "no policy"},
		{cost, `{"decisions": [{}], "interrupted": true}`, "interrupted"},
	} {
		if err := c.read([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}
