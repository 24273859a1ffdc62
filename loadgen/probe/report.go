package probe

import (
	"crypto/tls"
	"net/http"
	"slices"

	"edgebench/analysis/cold"
	"edgebench/analysis/plain"
	"edgebench/profiles"
)

// A Kind says what came before a request.
type Kind string

// Kinds of requests.
const (
	First Kind = "first" // nothing that we know of: may be cold
	Warm  Kind = "warm"  // another request
	Idle  Kind = "idle"  // a pause: may be cold
)

// An Answer is what became of one request.
type Answer struct {
	Kind        Kind   `json:"kind"`
	AfterNS     int64  `json:"after_ns"` // the pause before it, or before the one before it
	FirstByteNS int64  `json:"first_byte_ns"`
	TotalNS     int64  `json:"total_ns"` // from the first byte of the request to the last of the response: the service time of a run
	Status      int    `json:"status"`   // 0 without a response
	BodyBytes   int64  `json:"body_bytes"`
	Error       string `json:"error,omitempty"`
	Cold        *bool  `json:"cold"` // by the sign; null without one

	header   http.Header
	body     []byte
	protocol string
	reusable bool
}

// warm: not cold by the sign; without one, a request came just before.
func (a Answer) warm() bool {
	if a.Cold != nil {
		return !*a.Cold
	}
	return a.Kind == Warm
}

// ok: as a run counts it, but for what the profile expects of bodies.
func (a Answer) ok() bool { return a.Error == "" && a.Status >= 200 && a.Status < 300 }

// A Report is what the probe found. Text of the target is fit to be shown.
type Report struct {
	URL      string `json:"url"`
	Address  string `json:"address"`
	Protocol string `json:"protocol"` // HTTP/1.1, of the first response
	HTTP2    bool   `json:"http2"`    // would be spoken over TLS; loadgen speaks HTTP/1.1
	Server   string `json:"server,omitempty"`

	TLSVersion  string `json:"tls_version,omitempty"`
	TLSCipher   string `json:"tls_cipher,omitempty"`
	ConnectNS   int64  `json:"connect_ns"`
	HandshakeNS int64  `json:"handshake_ns,omitempty"`

	KeepAlive    bool   `json:"keep_alive"`
	IdleClosedNS *int64 `json:"idle_closed_ns"` // the shortest pause in which the target closed a connection; null: in none

	Answers []Answer   `json:"answers"`
	Failed  int        `json:"failed"`   // of them: no response, or none of 2xx
	FirstNS *int64     `json:"first_ns"` // of the first request; null when it failed
	Warm    *Latency   `json:"warm"`     // null without a warm answer
	Split   cold.Split `json:"split"`    // of all ok answers

	Cold    Sign     `json:"cold"`
	Propose Proposal `json:"propose"`
	Profile string   `json:"profile,omitempty"` // YAML to begin with; none when every request failed
}

// Latency of some answers.
type Latency struct {
	N     int   `json:"n"`
	MinNS int64 `json:"min_ns"`
	P50NS int64 `json:"p50_ns"`
	MaxNS int64 `json:"max_ns"`
}

// describe takes what a connection tells.
func (r *Report) describe(c *connection) {
	r.Address, r.ConnectNS, r.HandshakeNS = c.RemoteAddr().String(), int64(c.connect), int64(c.handshake)
	if c.secure != nil {
		r.TLSVersion, r.TLSCipher = tls.VersionName(c.secure.Version), tls.CipherSuiteName(c.secure.CipherSuite)
	}
}

// conclude makes everything that follows from the answers.
func (r *Report) conclude(p *profiles.Profile) {
	r.URL = p.Redacted().Target.URL + p.Redacted().Request.Path
	r.Cold = findSign(r.Answers)
	var warm, all []int64
	for i := range r.Answers {
		a := &r.Answers[i]
		if r.Protocol == "" && a.protocol != "" {
			r.Protocol, r.Server = plain.Short(a.protocol, 20), plain.Short(a.header.Get("Server"), 80)
		}
		if !a.ok() {
			r.Failed++
			continue
		}
		all = append(all, a.TotalNS)
		if a.warm() {
			warm = append(warm, a.TotalNS)
		}
		if i == 0 {
			r.FirstNS = new(a.TotalNS)
		}
	}
	slices.Sort(warm)
	slices.Sort(all)
	if n := len(warm); n > 0 {
		r.Warm = &Latency{N: n, MinNS: warm[0], P50NS: warm[(n-1)/2], MaxNS: warm[n-1]}
	}
	r.Split = cold.Find(barsOf(all))
	r.Propose = propose(r)
	if r.Failed < len(r.Answers) {
		r.Profile = writeProfile(p, r)
	}
}

// barsOf counts equal values of a sorted list.
func barsOf(sorted []int64) (bars []cold.Bar) {
	for _, v := range sorted {
		if n := len(bars); n > 0 && bars[n-1].Low == v {
			bars[n-1].N++
			continue
		}
		bars = append(bars, cold.Bar{Low: v, High: v, N: 1})
	}
	return bars
}
