package profiles

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"edgebench/profiles/arrival"
)

// A Way is how the target of a url is reached, where that is not simply a TCP
// connection to its host. The zero value is that simple way.
type Way struct {
	Transport  string   // epoll | client; empty = whichever can
	TLS        TLS      // for https
	UnixSocket string   // path to connect to; @ begins an abstract one
	Proxy      string   // http://[userinfo@]host:port, asked for a tunnel by CONNECT
	ConnectTo  string   // host:port to connect to instead of the url's
	Resolve    []string // addresses of the host, instead of a lookup
	NameServer string   // host:port, instead of the system's
	DNSTTL     time.Duration
	Family     int // 4 | 6; 0 = both

	ConnectTimeout time.Duration // for name, address, proxy and handshake together; 0 = the request's timeout
	OneRequest     bool          // a connection carries one request only (keep_alive: false)
}

// TLS is how both ends of an https connection identify themselves. Files are
// PEM, relative to the working directory.
type TLS struct {
	ServerName string // in the handshake and in the certificate; empty = the url's host
	CA         string // file trusted instead of the system's roots
	Cert, Key  string // files of our own certificate and its key: both or none
	Insecure   bool   // the peer's certificate is not verified
}

// Special names the first key of the way that a plain TCP connection kept open
// cannot do; empty when there is none.
func (w Way) Special() string {
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"tls", w.TLS != TLS{}}, {"unix_socket", w.UnixSocket != ""}, {"proxy", w.Proxy != ""},
		{"connect_to", w.ConnectTo != ""}, {"resolve", len(w.Resolve) > 0}, {"name_server", w.NameServer != ""},
		{"dns_ttl", w.DNSTTL > 0}, {"family", w.Family != 0}, {"connect_timeout", w.ConnectTimeout > 0},
		{"keep_alive", w.OneRequest},
	} {
		if k.set {
			return k.name
		}
	}
	return ""
}

// way reads the keys beside url.
func (d *decoder) way(o *object, dst *Way) {
	o.choice("transport", &dst.Transport, "auto", "epoll", "client")
	if dst.Transport == "auto" {
		dst.Transport = ""
	}
	if v, ok := o.field("tls"); ok {
		d.tls(v, &dst.TLS)
	}
	o.line("unix_socket", &dst.UnixSocket)
	if v, ok := o.field("proxy"); ok && v.line(&dst.Proxy) && !isProxy(dst.Proxy) {
		v.fault("want http://[user:password@]host:port") // without the text: it may hold a password
	}
	o.hostPort("connect_to", &dst.ConnectTo)
	if v, ok := o.field("resolve"); ok {
		d.resolve(v, &dst.Resolve)
	}
	o.hostPort("name_server", &dst.NameServer)
	o.duration("dns_ttl", &dst.DNSTTL, 1, arrival.MaxLength)
	if v, ok := o.field("family"); ok {
		family := "0"
		if v.choice(&family, "4", "6") {
			dst.Family = int(family[0] - '0')
		}
	}
	o.duration("connect_timeout", &dst.ConnectTimeout, 1, arrival.MaxLength)
	keepAlive := true
	o.boolean("keep_alive", &keepAlive)
	dst.OneRequest = !keepAlive
}

func (d *decoder) tls(v value, dst *TLS) {
	o, _ := v.object()
	o.line("server_name", &dst.ServerName)
	o.line("ca", &dst.CA)
	o.line("cert", &dst.Cert)
	o.line("key", &dst.Key)
	o.boolean("insecure", &dst.Insecure)
	if (dst.Cert == "") != (dst.Key == "") {
		v.fault("cert and key go together: give both or none")
	}
	if dst.Insecure && dst.CA != "" {
		v.fault("ca is not used when insecure is true: give one of them")
	}
	o.close()
}

// resolve reads a list of addresses, or one.
func (d *decoder) resolve(v value, dst *[]string) {
	var items []string
	if v.isScalar() {
		items = make([]string, 1)
		if !v.line(&items[0]) {
			return
		}
	} else {
		v.lines(&items)
	}
	for _, item := range items {
		if _, err := netip.ParseAddr(item); err != nil {
			v.fault("%q is not an IP address", clip(item))
			return
		}
	}
	*dst = items
}

// checkWay reports keys that do not go together, once all were read.
func checkWay(o *object, t *Target) {
	w := t.Way
	secure := strings.HasPrefix(t.URL, "https://")
	fault := func(key, format string, args ...any) {
		if v, ok := o.field(key); ok {
			v.fault(format, args...)
		}
	}
	if !secure && w.TLS != (TLS{}) {
		fault("tls", "the url is not https")
	}
	if special := w.Special(); w.Transport == "epoll" && (secure || special != "") {
		if secure {
			special = "https"
		}
		fault("transport", "epoll cannot do %s: leave transport away, or write client", special)
	}
	for _, other := range []struct {
		name string
		set  bool
	}{{"proxy", w.Proxy != ""}, {"connect_to", w.ConnectTo != ""}, {"resolve", len(w.Resolve) > 0}, {"name_server", w.NameServer != ""}, {"family", w.Family != 0}} {
		if w.UnixSocket != "" && other.set {
			fault(other.name, "goes with no unix_socket")
		}
	}
	if w.Proxy != "" && len(w.Resolve) > 0 {
		fault("resolve", "the proxy looks names up itself: use connect_to")
	}
	for _, text := range w.Resolve {
		if addr, err := netip.ParseAddr(text); err == nil && w.Family != 0 && addr.Unmap().Is4() != (w.Family == 4) {
			fault("resolve", "%s is not of family %d", text, w.Family)
		}
	}
}

// hostPort reads host:port.
func (o *object) hostPort(name string, dst *string) {
	v, ok := o.field(name)
	var text string
	if !ok || !v.line(&text) {
		return
	}
	host, port, err := net.SplitHostPort(text)
	n, portErr := strconv.ParseUint(port, 10, 16)
	if err != nil || host == "" || portErr != nil || n == 0 {
		v.fault("%q is not host:port, with a port from 1 to 65535", clip(text))
		return
	}
	*dst = text
}

func isProxy(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || u.Port() == "" {
		return false
	}
	return (u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
}
