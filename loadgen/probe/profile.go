package probe

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"edgebench/profiles"
)

var notName = regexp.MustCompile(`[^A-Za-z0-9]+`)

// writeProfile is a profile to begin with: what was probed, with the cold sign,
// the threshold and the rate that were found. It is small: warm up, fall silent
// for the longest pause, and come back with twice the rate.
func writeProfile(p *profiles.Profile, r *Report) string {
	q := *p.Redacted()
	_, host, _ := strings.Cut(q.Target.URL, "://")
	host = host[strings.LastIndex(host, "@")+1:]
	q.Name = "probed-" + strings.Trim(notName.ReplaceAllString(host, "-"), "-")
	q.Name = q.Name[:min(len(q.Name), 60)]
	q.Description = "first look at an endpoint: warm up, fall silent, come back"
	r.Cold.apply(&q.Cold)
	q.Cold.Threshold = 0
	if at := r.Propose.ThresholdNS; at != nil {
		q.Cold.Threshold = max(time.Duration(*at).Round(10*time.Microsecond), 10*time.Microsecond)
	}
	q.Cold.Auto = !r.Cold.Found()
	rate := max(r.Propose.RateRPS, leastRate)
	pause := 10 * time.Second
	for _, a := range r.Answers {
		pause = max(pause, time.Duration(a.AfterNS))
	}
	constant := func(rate float64) profiles.Rate { return profiles.Rate{From: rate, To: rate} }
	q.Phases = []profiles.Phase{
		{Name: "warmup", Rate: constant(rate), For: 10 * time.Second},
		{Name: "quiet", Rate: constant(0), For: pause},
		{Name: "return", Rate: constant(2 * rate), For: 10 * time.Second, Measure: "cold"},
	}
	q.Cycles = profiles.Cycles{Count: 1}
	q.Thresholds = []string{"error_rate < 1%"}

	var b strings.Builder
	fmt.Fprintf(&b, "# A first profile, from %d requests by loadgen probe. What it rests on:\n", len(r.Answers))
	fmt.Fprintf(&b, "# rate: %s\n# threshold: %s\n# cold: %s\n", r.Propose.RateWhy, r.Propose.ThresholdWhy, r.Cold.Words())
	if string(p.YAML()) != string(p.Redacted().YAML()) {
		b.WriteString("# Credentials are left out: write ${NAME} of the environment in their place.\n")
	}
	b.Write(q.YAML())
	return b.String()
}

// Words is the sign for people.
func (s Sign) Words() string {
	switch {
	case s.Header != "":
		return fmt.Sprintf("the header %s is a mark; %d answers were cold by it", s.Header, s.ColdAnswers)
	case s.JSON != "":
		return fmt.Sprintf("%s in the body is a mark; %d answers were cold by it", s.JSON, s.ColdAnswers)
	case s.InstanceHeader != "":
		return fmt.Sprintf("the header %s names the instance, whose first answer is cold; %d seen", s.InstanceHeader, s.ColdAnswers)
	case s.InstanceJSON != "":
		return fmt.Sprintf("%s in the body names the instance, whose first answer is cold; %d seen", s.InstanceJSON, s.ColdAnswers)
	}
	return "no header and no value of a JSON body tells of cold starts: by time alone"
}
