package report

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"time"

	"edgebench/analysis"
)

// The elements of a JUnit file that CI systems read, in the order of Jenkins'
// schema (junit-10.xsd). encoding/xml escapes, and replaces what XML cannot hold.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Skipped    int             `xml:"skipped,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
		Output     string          `xml:"system-out,omitempty"`
	}
	junitCounts struct {
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Time     string `xml:"time,attr"` // s
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Error   *junitProblem `xml:"error,omitempty"`
		Failure *junitProblem `xml:"failure,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a summary as a test suite: a case for the verdict, which is an
// error when the run cannot be used, and one for each threshold.
func JUnit(w io.Writer, s *analysis.Summary) error {
	took := junitSeconds(s.Run.ElapsedNS)
	class := "loadgen." + s.Run.Profile
	verdict := junitCase{Name: "verdict", Class: class, Time: took}
	if s.Verdict == analysis.Invalid || s.Verdict == analysis.Partial {
		verdict.Error = &junitProblem{Message: string(s.Verdict), Type: string(s.Verdict), Text: strings.Join(s.Reasons, "\n")}
	}
	suite := junitSuite{
		Name: "loadgen " + s.Run.Profile, Timestamp: junitTime(s.Run.StartedUTC),
		Properties: []junitProperty{
			{"target", s.Run.Target}, {"mode", s.Run.Mode}, {"seed", strconv.FormatUint(s.Run.Seed, 10)},
			{"producer", s.Run.Producer}, {"schedule_hash", s.Run.ScheduleHash},
		},
		Cases:  []junitCase{verdict},
		Output: Text(s, TextOptions{}),
	}
	for _, t := range s.Thresholds {
		c := junitCase{Name: t.Expression, Class: class + ".thresholds", Time: "0"}
		if !t.Met {
			c.Failure = &junitProblem{Message: "is " + t.Value, Type: "threshold", Text: t.Expression + ": is " + t.Value}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return writeJUnit(w, suite, took)
}

// JUnitNoRun writes the suite of a run that has no result, and why: its one case
// is an error.
func JUnitNoRun(w io.Writer, profile, why string) error {
	return writeJUnit(w, junitSuite{
		Name: "loadgen " + profile,
		Cases: []junitCase{{
			Name: "verdict", Class: "loadgen." + profile, Time: "0",
			Error: &junitProblem{Message: "no result", Type: "no_result", Text: why},
		}},
	}, "0")
}

func writeJUnit(w io.Writer, suite junitSuite, took string) error {
	suite.junitCounts = junitCounts{Tests: len(suite.Cases), Time: took}
	for _, c := range suite.Cases {
		if c.Failure != nil {
			suite.Failures++
		}
		if c.Error != nil {
			suite.Errors++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{junitCounts: suite.junitCounts, Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitSeconds(ns int64) string { return strconv.FormatFloat(float64(ns)/1e9, 'f', 3, 64) }

// junitTime is an instant as the schema wants it: UTC without saying so, and no
// fraction. Empty for one that cannot be read.
func junitTime(started string) string {
	at, err := time.Parse(time.RFC3339Nano, started)
	if err != nil {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05")
}
