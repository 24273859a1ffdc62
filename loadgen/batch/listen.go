package batch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// ErrRefused is about a server that does not take us: another try would end the
// same.
var ErrRefused = errors.New("refused")

// Listen says where an embedded server takes workers from other processes; a nil
// one keeps it to this process.
type Listen struct {
	Host  string // name or address
	Port  int    // 0: a free one
	Token string // workers have to know; "" for none
	Cert  string // file, with Key: TLS
	Key   string
}

// ParseListen reads HOST:PORT.
func ParseListen(text string) (*Listen, error) {
	host, service, err := net.SplitHostPort(text)
	if err != nil {
		return nil, fmt.Errorf("%q: want HOST:PORT, such as 0.0.0.0:4222", text)
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%q: %q is no port", text, service)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	return &Listen{Host: host, Port: int(port)}, nil
}

// Open reports whether anybody who reaches the address may join, from machines
// other than this one.
func (l *Listen) Open() bool { return l.Token == "" && l.Cert == "" && !loopback(l.Host) }

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (l *Listen) apply(o *server.Options) error {
	if l.Open() {
		return fmt.Errorf("%s is reached by other machines: a token or TLS is wanted", l.Host)
	}
	o.DontListen, o.Host, o.Port, o.Authorization = false, l.Host, l.Port, l.Token
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	if l.Cert != "" {
		config, err := server.GenTLSConfig(&server.TLSConfigOpts{CertFile: l.Cert, KeyFile: l.Key})
		if err != nil {
			return fmt.Errorf("TLS: %w", err)
		}
		o.TLS, o.TLSConfig, o.TLSTimeout = true, config, 5
	}
	// Told apart before the server is asked to, which only logs it.
	free, err := net.Listen("tcp", net.JoinHostPort(l.Host, strconv.Itoa(l.Port)))
	if err != nil {
		return err
	}
	return free.Close()
}

// Access says how to reach a server elsewhere.
type Access struct {
	URL   string // nats://HOST:PORT, or tls://
	Token string
	CA    string // file of the authority that signed its certificate; "": the system's
	Batch string // which one, on a server that somebody else runs for several
	Name  string // of the connection, for those who look at the server
}

// Dial connects, and connects again whenever the connection is lost. A server
// that refuses us is ErrRefused.
func Dial(a Access) (*Store, error) {
	options := []nats.Option{
		nats.Name(a.Name), nats.Token(a.Token), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		// A cable that is pulled says nothing: two pings unanswered tell.
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
	}
	if a.CA != "" {
		options = append(options, nats.RootCAs(a.CA))
	}
	conn, err := nats.Connect(a.URL, options...)
	if errors.Is(err, nats.ErrAuthorization) {
		return nil, fmt.Errorf("%s: %w: it wants another token (--token-file)", a.URL, ErrRefused)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.URL, err)
	}
	return newStore(conn, nil, a.Batch)
}

// DialPatiently connects as Dial does, and waits for a server that is not there
// yet, up to patience.
func DialPatiently(ctx context.Context, a Access, patience time.Duration, notice func(error)) (*Store, error) {
	given := time.Now().Add(patience)
	for told := false; ; {
		s, err := Dial(a)
		if err == nil || errors.Is(err, ErrRefused) || !transient(err) || time.Now().After(given) {
			return s, err
		}
		if !told {
			notice(err)
			told = true
		}
		if pause(ctx, time.Second); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// transient reports whether nobody answers at an address, or not yet: anything
// else, as a certificate nobody vouches for, stays as it is.
func transient(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout)
}
