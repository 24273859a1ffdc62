package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCostOfAPlan(t *testing.T) {
	t.Parallel()
	args := []string{"plan", "constant", "--price", "aws-lambda,egress_gb=0.09", "--memory-mb", "1024", "--request-duration", "1s", "--response-size", "1MB"}
	c := loadgen(t, "", args...)
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	for _, want := range []string{"300 GB-second", "0.0050 USD", "0.3 GB", "0.027 USD", "total", "0.032 USD", "as of 2024: check them"} {
		if !strings.Contains(c.stdout.String(), want) {
			t.Errorf("%q is not in:\n%s", want, c.stdout.String())
		}
	}
	j := loadgen(t, "", append(args, "--json")...)
	j.wantCode(t, j.code(t, j.Run()), exitOK)
	var p plan
	if err := json.Unmarshal(j.stdout.Bytes(), &p); err != nil || p.Cost == nil || !p.Cost.Complete || len(p.Cost.Items) != 3 {
		t.Errorf("%v %+v", err, p.Cost)
	}
	bad := loadgen(t, "", "plan", "constant", "--memory-mb", "-1", "--response-size", "2")
	bad.wantCode(t, bad.code(t, bad.Run()), exitUsage)
	for _, want := range []string{"go with --price", "--response-size:"} {
		if !strings.Contains(bad.stderr.String(), want) {
			t.Errorf("%q is not in:\n%s", want, bad.stderr.String())
		}
	}
}
