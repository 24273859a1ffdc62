package main

import (
	"strings"
	"testing"

	"edgebench/profiles"
)

// A recipe names no endpoint of its own, checks and plans without one, and says so
// when it is run; what it needs of the environment is asked for by name.
func TestRecipesWantAURL(t *testing.T) {
	t.Parallel()
	for _, info := range profiles.Embedded() {
		if !info.Endpoint {
			continue
		}
		plan := loadgen(t, "", "plan", info.Name)
		plan.wantCode(t, plan.code(t, plan.Run()), exitOK)
		c := loadgen(t, "", "run", info.Name)
		c.wantCode(t, c.code(t, c.Run()), exitUsage)
		if want := "profile " + info.Name + " names no endpoint of its own: give --url"; !strings.Contains(c.stderr.String(), want) {
			t.Errorf("%q is not in %s", want, c.stderr.String())
		}
	}
	c := loadgen(t, "", "run", "faas-lambda-url", "--url", "http://127.0.0.1:1/")
	c.Env = []string{"PATH=/usr/bin:/bin"}
	c.wantCode(t, c.code(t, c.Run()), exitUsage)
	for _, want := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		if !strings.Contains(c.stderr.String(), want) {
			t.Errorf("%q is not in %s", want, c.stderr.String())
		}
	}
}
