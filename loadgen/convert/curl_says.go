package convert

import (
	"net"
	"strings"

	"edgebench/profiles"
)

// What each flag says. Most only note it: what comes of it depends on the others.

func (c *curlLine) url(w word, _ bool)            { c.urls = append(c.urls, w) }
func (c *curlLine) method(w word, _ bool)         { c.verb = shown(w.text) }
func (c *curlLine) head(_ word, on bool)          { c.wantsHead = on }
func (c *curlLine) get(_ word, on bool)           { c.wantsGet = on }
func (c *curlLine) userAgent(w word, _ bool)      { c.own("User-Agent", w) }
func (c *curlLine) byteRange(w word, _ bool)      { c.own("Range", word{"bytes=" + w.text, w.at}) }
func (c *curlLine) user(w word, _ bool)           { c.account = &w }
func (c *curlLine) bearer(w word, _ bool)         { c.own("Authorization", word{"Bearer " + w.text, w.at}) }
func (c *curlLine) sigv4(w word, _ bool)          { c.signature = &w }
func (c *curlLine) insecure(_ word, on bool)      { c.way.TLS.Insecure = on }
func (c *curlLine) ca(w word, _ bool)             { c.way.TLS.CA = shown(w.text) }
func (c *curlLine) key(w word, _ bool)            { c.way.TLS.Key = shown(w.text) }
func (c *curlLine) unixSocket(w word, _ bool)     { c.way.UnixSocket = shown(w.text) }
func (c *curlLine) abstractSocket(w word, _ bool) { c.way.UnixSocket = "@" + shown(w.text) }
func (c *curlLine) ipv4(word, bool)               { c.way.Family = 4 }
func (c *curlLine) ipv6(word, bool)               { c.way.Family = 6 }
func (c *curlLine) maxTime(w word, _ bool)        { c.timeout = &w }
func (c *curlLine) globoff(_ word, on bool)       { c.globbed = on }
func (c *curlLine) asIs(_ word, on bool)          { c.dots = on }
func (c *curlLine) requestTarget(w word, _ bool)  { c.aim = &w }
func (c *curlLine) upload(w word, _ bool)         { c.file = &w }
func (c *curlLine) proxyUser(w word, _ bool)      { c.proxyAccount = &w }
func (c *curlLine) resolve(w word, _ bool)        { c.resolves = append(c.resolves, w) }
func (c *curlLine) connectTo(w word, _ bool)      { c.connects = append(c.connects, w) }

// own is a header with a flag of its own; the last one counts.
func (c *curlLine) own(name string, w word) {
	c.drop(name)
	c.headers = append(c.headers, curlHeader{w.at, name, w.text})
}

func (c *curlLine) referer(w word, _ bool) {
	url, auto := strings.CutSuffix(w.text, ";auto")
	if auto {
		c.d.lost(w.at, ";auto", "redirects are not followed")
	}
	if url != "" {
		c.own("Referer", word{url, w.at})
	}
}

// header is "Name: value"; "Name:" takes a header away, "Name;" sends it empty.
func (c *curlLine) header(w word, _ bool) {
	name, value, colon := strings.Cut(w.text, ":")
	value = strings.Trim(value, " \t")
	switch {
	case strings.HasPrefix(w.text, "@"):
		c.d.lost(w.at, "-H "+clip(w.text), "what is in that file is not known here: give its lines with -H")
	case !colon && strings.HasSuffix(name, ";"):
		c.headers = append(c.headers, curlHeader{w.at, strings.TrimSuffix(name, ";"), ""})
	case !colon:
		c.d.lost(w.at, "-H "+clip(name), "it has no colon, and curl leaves it out too")
	case value == "":
		if c.removed == nil {
			c.removed = map[string]bool{}
		}
		c.removed[strings.ToLower(name)] = true
	case strings.EqualFold(name, "Expect"):
		c.d.lost(w.at, "-H "+clip(w.text), "loadgen sends head and body at once")
	default:
		c.headers = append(c.headers, curlHeader{w.at, name, value})
	}
}

// cookie is data when it has a =, else a file's name.
func (c *curlLine) cookie(w word, _ bool) {
	if !strings.Contains(w.text, "=") {
		if w.text != "" {
			c.d.lost(w.at, "-b "+clip(w.text), "what cookies are in that file is not known here")
		}
		return
	}
	c.cookies = append(c.cookies, w.text)
	c.cookieAt = w.at
}

func (c *curlLine) compressed(w word, on bool) {
	if on {
		c.headers = append(c.headers, curlHeader{w.at, "Accept-Encoding", "deflate, gzip, br, zstd"})
		c.d.note(w.at, "--compressed: carried over as the header Accept-Encoding: answers are counted as they come, compressed")
	}
}

func (c *curlLine) cert(w word, _ bool) {
	file, password, _ := strings.Cut(shown(w.text), ":")
	c.way.TLS.Cert = file
	if password != "" {
		c.d.lost(w.at, "the password of --cert", "a profile takes a key without one")
	}
}

func (c *curlLine) proxy(w word, _ bool) {
	text := w.text
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	scheme, rest, _ := strings.Cut(text, "://")
	if scheme != "http" {
		c.d.lost(w.at, "-x "+clip(w.text), "a proxy is http, asked for a tunnel by CONNECT")
		return
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		c.d.lost(w.at, "the account of the proxy", "it would stand in the profile: write proxy: http://user:password@host:port yourself")
		rest = rest[i+1:]
	}
	rest = strings.TrimSuffix(rest, "/")
	if _, _, err := net.SplitHostPort(rest); err != nil {
		rest = net.JoinHostPort(strings.Trim(rest, "[]"), "1080") // curl's default
	}
	c.way.Proxy = "http://" + rest
}

func (c *curlLine) connectTimeout(w word, _ bool) {
	if d, ok := c.seconds(w); ok {
		c.way.ConnectTimeout = d
	}
}

func (c *curlLine) nameServer(w word, _ bool) {
	first, more, _ := strings.Cut(shown(w.text), ",")
	if more != "" {
		c.d.lost(w.at, clip(more), "a profile has one name server")
	}
	if _, _, err := net.SplitHostPort(first); err != nil {
		first = net.JoinHostPort(strings.Trim(first, "[]"), "53")
	}
	c.way.NameServer = first
}

// signed is aws:amz:region:service with the account's key and secret.
func (c *curlLine) signed(r *profiles.Request, host string) {
	if c.account == nil {
		c.d.fault(c.signature.at, "--aws-sigv4 needs -u KEY:SECRET")
		return
	}
	parts := strings.Split(shown(c.signature.text)+":::", ":")
	labels := strings.Split(host, ".")
	region, service := parts[2], parts[3]
	if service == "" {
		service = labels[0] // as curl takes them from the host
	}
	if region == "" && len(labels) > 1 {
		region = labels[1]
	}
	key, secret, _ := strings.Cut(c.account.text, ":")
	r.Auth = profiles.Auth{SigV4: &profiles.SigV4{
		Service: service, Region: region,
		AccessKey: c.d.credential(key, "AWS_ACCESS_KEY_ID", "the access key"),
		SecretKey: c.d.credential(secret, "AWS_SECRET_ACCESS_KEY", "the secret key"),
	}}
}
