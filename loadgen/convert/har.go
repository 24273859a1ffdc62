package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"edgebench/profiles"
)

func guessHAR(head []byte) bool {
	keys := firstKeys(head)
	return len(keys) > 0 && keys[0] == "log"
}

// maxInstants bounds the recorded times of a profile: more would not fit its file.
const maxInstants = 100_000

// readHAR reads an HTTP archive, version 1.2, entry by entry: answers are passed
// over, and of requests to one host only what differs is kept, so that memory
// follows from the requests that are taken and not from the file.
func readHAR(r io.Reader, d *draft) {
	h := &harReader{d: d, dec: json.NewDecoder(skipMark(r)), hosts: map[string]int{}}
	if err := h.log(); err != nil {
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file ends in the middle")
		}
		where := "no entry read yet"
		if h.entry > 0 {
			where = fmt.Sprintf("after entry %d", h.entry)
		}
		d.fault(position{}, "byte %d (%s): %v", h.dec.InputOffset(), where, err)
		return
	}
	h.finish()
}

type harReader struct {
	d     *draft
	dec   *json.Decoder
	entry int            // read so far
	hosts map[string]int // requests, by origin
	taken []time.Time    // when those that are taken began
	mixed bool           // several hosts, and none was chosen: only counting goes on
}

// harEntry is what is looked at of an entry.
type harEntry struct {
	Started string
	Request struct {
		Method   string `json:"method"`
		URL      string `json:"url"`
		Headers  []harPair
		PostData *struct {
			MimeType string    `json:"mimeType"`
			Text     string    `json:"text"`
			Encoding string    `json:"encoding"`
			Params   []harPair `json:"params"`
		} `json:"postData"`
	}
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// log walks down to the entries.
func (h *harReader) log() error {
	found := false
	err := h.object(func(key string) error {
		if key != "log" {
			return h.skip()
		}
		return h.object(func(key string) error {
			if key != "entries" {
				return h.skip()
			}
			found = true
			return h.array(h.one)
		})
	})
	if err == nil && !found {
		err = errors.New("no log.entries: not an HTTP archive")
	}
	return err
}

// one reads an entry.
func (h *harReader) one() error {
	var e harEntry
	err := h.object(func(key string) error {
		switch key {
		case "startedDateTime":
			return h.dec.Decode(&e.Started)
		case "request":
			return h.dec.Decode(&e.Request)
		}
		return h.skip()
	})
	if err != nil {
		return err
	}
	h.entry++
	h.take(e)
	return nil
}

// take adds an entry's request if it goes to the host that is wanted.
func (h *harReader) take(e harEntry) {
	u, err := url.Parse(e.Request.URL)
	if err != nil || u.Host == "" {
		h.d.fault(position{}, "entry %d: its url is none", h.entry)
		return
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		h.d.lost(position{}, u.Scheme+": requests", "only http and https have a profile")
		return
	}
	origin := u.Scheme + "://" + u.Host
	h.hosts[origin]++
	if want := h.d.options.Host; want != "" && want != origin && want != u.Host && want != u.Hostname() || h.mixed {
		return
	}
	if h.d.options.Host == "" && len(h.hosts) > 1 {
		h.mixed, h.d.calls, h.d.known, h.taken = true, nil, nil, nil
		return
	}
	started, err := time.Parse(time.RFC3339, e.Started)
	if err != nil && h.d.options.Rate == "" {
		h.d.fault(position{}, "entry %d: startedDateTime %q is no timestamp", h.entry, clip(e.Started))
		return
	}
	h.taken = append(h.taken, started)
	h.request(e)
}

// written are headers that belong to a connection, or are the generator's.
var written = map[string]bool{"host": true, "content-length": true, "transfer-encoding": true, "connection": true, "keep-alive": true, "te": true, "trailer": true, "upgrade": true, "proxy-connection": true, "http2-settings": true}

func (h *harReader) request(e harEntry) {
	r := newRequest()
	origin, ok := h.d.target(position{}, e.Request.URL, &r)
	if !ok {
		return
	}
	r.Method = strings.ToUpper(e.Request.Method)
	for _, p := range e.Request.Headers {
		name := strings.ToLower(p.Name)
		if strings.HasPrefix(name, ":") || written[name] {
			continue
		}
		if name == "authorization" {
			r.Auth.Basic = nil
		}
		if made, ok := h.d.header(p.Name, p.Value); ok {
			r.Headers = append(r.Headers, made)
		}
	}
	if post := e.Request.PostData; post != nil {
		text := post.Text
		if text == "" && len(post.Params) > 0 {
			if strings.HasPrefix(post.MimeType, "multipart/") {
				h.d.lost(position{}, fmt.Sprintf("the form of entry %d", h.entry), "the archive has its fields and not its text")
			} else {
				text = encodedForm(post.Params)
			}
		}
		r.Body = h.d.body(position{}, text)
		if post.Encoding == "base64" {
			r.Body = profiles.Body{Base64: text}
		}
	}
	h.d.add(call{origin: origin, request: r})
}

func encodedForm(params []harPair) string {
	pairs := make([]string, len(params))
	for i, p := range params {
		pairs[i] = url.QueryEscape(p.Name) + "=" + url.QueryEscape(p.Value)
	}
	return strings.Join(pairs, "&")
}

// finish counts the times from the first request, or leaves them for a rate.
func (h *harReader) finish() {
	d := h.d
	switch {
	case len(h.hosts) == 0:
		d.fault(position{}, "no request in it")
		return
	case d.options.Host != "" && len(h.taken) == 0 && len(d.faults) == 0:
		d.fault(position{}, "no request goes to %s (--host); there are\n%s", d.options.Host, h.listing())
		return
	case h.mixed:
		d.fault(position{}, "requests go to several hosts, and a profile has one target: choose with --host\n%s", h.listing())
		return
	}
	if others := len(h.hosts) - 1; others > 0 {
		d.note(position{}, "%d of %d requests go to %s; those to %d other hosts were left out\n%s", len(h.taken), h.entry, d.options.Host, others, h.listing())
	}
	d.told = "Answers are not compared with the recorded ones: see request.expect."
	if d.options.Rate != "" {
		d.note(position{}, "the times of the recording: --rate takes their place")
		return
	}
	if len(h.taken) > maxInstants {
		d.fault(position{}, "%d recorded times are more than a profile holds (%d): give --rate", len(h.taken), maxInstants)
		return
	}
	if d.options.Duration != "" {
		d.faults = append(d.faults, profiles.Fault{File: "--duration", Message: "goes with --rate: the recording is as long as it is"})
	}
	slices.SortFunc(h.taken, time.Time.Compare)
	d.at = make([]time.Duration, len(h.taken))
	for i, t := range h.taken {
		d.at[i] = t.Sub(h.taken[0])
	}
	d.note(position{}, "a request of the recording may have waited for an earlier answer; here each comes at its recorded time, whatever was answered")
}

// listing is hosts with how many requests, the most first.
func (h *harReader) listing() string {
	origins := slices.Sorted(maps.Keys(h.hosts))
	slices.SortStableFunc(origins, func(a, b string) int { return h.hosts[b] - h.hosts[a] })
	var b strings.Builder
	for i, o := range origins {
		if i == 30 {
			fmt.Fprintf(&b, "  and %d more\n", len(origins)-i)
			break
		}
		fmt.Fprintf(&b, "  %5d  %s\n", h.hosts[o], clip(o))
	}
	return strings.TrimRight(b.String(), "\n")
}
