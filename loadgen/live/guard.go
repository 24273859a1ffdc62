package live

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A guard decides who may see and who may stop. On a loopback address whoever can
// connect may see; elsewhere only who knows the token. To stop takes the token
// everywhere: it is in the address that was printed and in no other place.
type guard struct {
	token  string
	open   bool   // seeing takes no token
	port   string // bound
	cookie string // its name: cookies do not know ports
}

func newGuard(bound *net.TCPAddr) guard {
	_, port, _ := net.SplitHostPort(bound.String())
	return guard{token: rand.Text(), open: bound.IP.IsLoopback(), port: port, cookie: "edgebench_" + port}
}

// local are the names by which a loopback address is asked for. Any other name is
// some site's that had its name point here (DNS rebinding).
func (g guard) local(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
	}
	if port != g.port {
		return false
	}
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// refusal says why a request is not answered at all, "" for nothing: it was made
// by a page of another site.
func (g guard) refusal(r *http.Request) string {
	if g.open && !g.local(r.Host) {
		return "this address answers to 127.0.0.1, [::1] and localhost with its port only"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return "asked by a page of another origin"
		}
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return "asked by a page of another site"
	}
	return ""
}

// knows reports whether the request carries the token in its header, which no
// page of another site can make a browser do.
func (g guard) knows(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && g.is(token)
}

// maySee reports whether the request may read.
func (g guard) maySee(r *http.Request) bool {
	if g.open || g.knows(r) {
		return true
	}
	c, err := r.Cookie(g.cookie)
	return err == nil && g.is(c.Value)
}

func (g guard) is(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1
}

// admit lets a browser that knows the token read from now on: its event stream
// can send no header.
func (g guard) admit(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}
