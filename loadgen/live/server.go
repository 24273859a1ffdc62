package live

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"edgebench/analysis/look"
)

//go:embed assets
var assets embed.FS

// maxViewers at once; a further one is told to come later.
const maxViewers = 64

// farewell is how long Close waits for browsers to take the last word. One that
// reads has it within a millisecond or so.
const farewell = 100 * time.Millisecond

// A Show is a feed with its name in addresses, which has no slash.
type Show struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Feed  *Feed  `json:"-"`
	// Part opens one of its parts, of a batch a trial by its ID: NAME/ID in
	// addresses. It is called anew for each viewer; nil: there are none.
	Part func(id string) (*Feed, error) `json:"-"`
}

// A Server brings shows to browsers.
type Server struct {
	Shows   []Show
	Stop    func()       // called at most once, by who knows the token; nil: there is nothing to stop
	Stops   string       // what Stop does, for the question before it; of a batch
	Metrics http.Handler // of /metrics; nil for none

	address  string // bound
	guard    guard
	http     *http.Server
	stopping sync.Once
	viewers  chan struct{} // one a viewer
	served   chan struct{} // closed when nothing is served any more
}

// Serve begins to serve on l, and returns.
func (s *Server) Serve(l *net.TCPListener) {
	s.address, s.guard = l.Addr().String(), newGuard(l.Addr().(*net.TCPAddr))
	s.viewers, s.served = make(chan struct{}, maxViewers), make(chan struct{})
	s.http = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: patience, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // what browsers do wrong is not for the run's output
	}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l)
	}()
}

// What is served, in a word.
func (s *Server) What() string {
	if len(s.Shows) > 0 {
		return "live"
	}
	return "metrics"
}

// URL is the address to open: that of the page, with the token behind the #,
// where it goes into no request and so into no log; without shows that of the
// metrics, and beside it the token where reading takes one.
func (s *Server) URL() string {
	address := "http://" + s.address
	switch {
	case len(s.Shows) > 0:
		return address + "/#token=" + s.guard.token
	case s.guard.open:
		return address + "/metrics"
	}
	return address + "/metrics   Authorization: Bearer " + s.guard.token
}

// Close ends the server; browsers that read have had the last word.
func (s *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	<-s.served
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	if len(s.Shows) > 0 {
		s.page(mux)
	}
	if s.Metrics != nil {
		mux.HandleFunc("GET /metrics", s.reader(s.Metrics.ServeHTTP))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if why := s.guard.refusal(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// page adds the page and what it asks for.
func (s *Server) page(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", s.asset("index.html", "text/html; charset=utf-8"))
	mux.HandleFunc("GET /live.js", s.asset("live.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /charts.js", text("text/javascript; charset=utf-8", look.Charts))
	mux.HandleFunc("GET /live.css", s.asset("live.css", "text/css; charset=utf-8"))
	mux.HandleFunc("GET /look.css", text("text/css; charset=utf-8", look.CSS))
	mux.HandleFunc("POST /session", s.session)
	mux.HandleFunc("GET /stream", s.reader(s.stream))
	mux.HandleFunc("POST /stop", s.stop)
}

func (s *Server) asset(name, kind string) http.HandlerFunc {
	return text(kind, func() string {
		data, _ := assets.ReadFile("assets/" + name) // embedded
		return string(data)
	})
}

func text(kind string, of func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, of())
	}
}

// reader is for what only those may see who may see.
func (s *Server) reader(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.guard.maySee(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "this takes the token of the address that was printed: as it stands there, or as Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		h(w, r)
	}
}

// session tells a page what it may do, and what there is to see.
func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	known := s.guard.knows(r)
	if known {
		s.guard.admit(w)
	}
	may := struct {
		See   bool   `json:"see"`
		Stop  bool   `json:"stop"` // there is something to stop, and the token is known
		Stops string `json:"stops"`
		Shows []Show `json:"shows"`
	}{See: known || s.guard.maySee(r), Stop: known && s.Stop != nil, Stops: s.Stops}
	if may.See {
		may.Shows = s.Shows
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(may)
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case s.viewers <- struct{}{}:
		defer func() { <-s.viewers }()
		feed, err := s.feed(r.URL.Query().Get("show"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		stream(w, r, feed)
	default:
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many watch already", http.StatusServiceUnavailable)
	}
}

// feed finds a show by its name, or a part of it; without a name it is the first.
func (s *Server) feed(name string) (*Feed, error) {
	name, part, isPart := strings.Cut(name, "/")
	for _, show := range s.Shows {
		switch {
		case name != "" && show.Name != name:
		case !isPart:
			return show.Feed, nil
		case show.Part != nil:
			return show.Part(part)
		}
	}
	return nil, errors.New("no such show")
}

func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	switch {
	case !s.guard.knows(r):
		http.Error(w, "to stop takes the token of the address that was printed", http.StatusForbidden)
	case s.Stop == nil:
		http.Error(w, "there is nothing to stop", http.StatusConflict)
	default:
		s.stopping.Do(s.Stop)
		w.WriteHeader(http.StatusAccepted)
	}
}
