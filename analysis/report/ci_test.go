package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"edgebench/analysis"
)

// hostile is text that could leave the place it is put in.
const hostile = "a|b <script>alert(1)</script> \x1b[31m&amp; \"q\" ]]> `x` *y* @team \u202e\x00 \xff"

func failing(t *testing.T) *analysis.Summary {
	t.Helper()
	s := summary(t, fixture)
	s.Run.Target = hostile
	s.Warnings = []string{hostile, "two\nlines"}
	s.Thresholds = []analysis.ThresholdResult{{Expression: "response.p99 < 1s", Met: true, Value: "802ms"}, {Expression: "spike.cold.truth < 1%", Value: "8.00%"}, {Expression: hostile, Value: "not measured"}}
	return s
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	s := failing(t)
	var out bytes.Buffer
	if err := JUnit(&out, s); err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	suite := back.Suites[0]
	if back.Tests != 4 || back.Failures != 2 || back.Errors != 0 || suite.Tests != 4 || suite.Failures != 2 || len(suite.Cases) != 4 {
		t.Errorf("%+v", suite)
	}
	if c := suite.Cases[0]; c.Name != "verdict" || c.Error != nil || c.Failure != nil {
		t.Errorf("%+v: a valid run has no error", c)
	}
	if c := suite.Cases[2]; c.Name != "spike.cold.truth < 1%" || c.Failure == nil || c.Failure.Message != "is 8.00%" {
		t.Errorf("%+v", c)
	}
	if got := suite.Cases[3].Name; !strings.Contains(got, "<script>") || strings.ContainsAny(got, "\x1b\x00") {
		t.Errorf("%q", got)
	}
	if suite.Timestamp == "" || strings.ContainsAny(suite.Timestamp, "Z.") {
		t.Errorf("timestamp %q", suite.Timestamp)
	}
}

// A run that cannot be used is an error of the suite whatever its thresholds say.
func TestJUnitOfAnInvalidRun(t *testing.T) {
	t.Parallel()
	s := failing(t)
	s.Verdict, s.Reasons, s.Thresholds = analysis.Invalid, []string{"the generator was the limit"}, s.Thresholds[:1]
	for name, write := range map[string]func(io.Writer) error{
		"the generator was the limit": func(w io.Writer) error { return JUnit(w, s) },
		"target unreachable":          func(w io.Writer) error { return JUnitNoRun(w, "p", "target unreachable") },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		var back junitSuites
		if err := xml.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if back.Errors != 1 || back.Failures != 0 || back.Suites[0].Cases[0].Error.Text != name {
			t.Errorf("%+v", back)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	s := failing(t)
	s.Verdict, s.Reasons = analysis.ThresholdsFailed, []string{"threshold failed: spike.cold.truth < 1% (is 8.00%)"}
	var out strings.Builder
	if err := Markdown(&out, s); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.md", out.String())
	if strings.ContainsAny(out.String(), "<\x1b\x00@") {
		t.Errorf("hostile text is raw in\n%s", out.String())
	}
	for line := range strings.Lines(out.String()) {
		if n := strings.Count(strings.ReplaceAll(line, "\\|", ""), "|"); strings.HasPrefix(line, "| ") && n != 4 && n != 10 {
			t.Errorf("a cell was broken up: %s", line)
		}
	}
}
