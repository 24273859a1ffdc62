package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sys/unix"
)

// Names in the store.
const (
	ledgerBucket  = "trials"
	lockBucket    = "locks"
	objectBucket  = "results"
	profileBucket = "profiles"
	queueStream   = "QUEUE"
	queueSubject  = "batch.trial"
	queueConsumer = "workers"
)

// A Store is a connection to where ledger, queue and objects live.
type Store struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	server *server.Server // nil for somebody else's
}

// minFree is the room a store needs on its disk: results of a trial are a few
// megabytes, and a full disk must not be met in the middle of the night.
const minFree = 256 << 20

// Listen says where an embedded server takes workers from other machines; the
// zero value keeps it to this process.
type Listen struct {
	Host  string
	Port  int // 0 with a host: a free one
	Token string
	TLS   *server.TLSConfigOpts
}

// OpenStore starts a server inside the process, its files in dir. Nobody but this
// process can reach it unless listen says so.
func OpenStore(ctx context.Context, dir string, listen *Listen) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := checkFree(dir); err != nil {
		return nil, err
	}
	o := &server.Options{
		ServerName: "edgebench-batch", JetStream: true, StoreDir: dir,
		// A record that was acknowledged is on the disk. Trials take minutes:
		// the fsync of each write costs nothing that matters.
		SyncAlways: true,
		MaxPayload: 8 << 20, NoSigs: true, NoLog: true, DontListen: true,
	}
	if listen != nil {
		if err := listen.apply(o); err != nil {
			return nil, err
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("batch store %s: %w", dir, err)
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		s.Shutdown()
		return nil, fmt.Errorf("batch store %s: the server did not become ready (is the port taken?)", dir)
	}
	conn, err := nats.Connect("", nats.InProcessServer(s), nats.Name("coordinator"), nats.Token(o.Authorization))
	if err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("batch store %s: %w", dir, err)
	}
	return newStore(conn, s)
}

func (l *Listen) apply(o *server.Options) error {
	o.DontListen, o.Host, o.Port, o.Authorization = false, l.Host, l.Port, l.Token
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	if l.TLS != nil {
		config, err := server.GenTLSConfig(l.TLS)
		if err != nil {
			return fmt.Errorf("batch store: TLS: %w", err)
		}
		o.TLS, o.TLSConfig = true, config
	}
	return nil
}

// Dial connects to a server elsewhere.
func Dial(url string, options ...nats.Option) (*Store, error) {
	conn, err := nats.Connect(url, append([]nats.Option{nats.Name("worker"), nats.MaxReconnects(-1)}, options...)...)
	if err != nil {
		return nil, fmt.Errorf("batch store: %w", err)
	}
	return newStore(conn, nil)
}

func newStore(conn *nats.Conn, s *server.Server) (*Store, error) {
	js, err := jetstream.New(conn)
	store := &Store{conn: conn, js: js, server: s}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// URL is where an embedded server listens, empty when it does not.
func (s *Store) URL() string {
	if s.server == nil || s.server.Addr() == nil {
		return ""
	}
	return s.server.ClientURL()
}

// Close ends the connection, and the server if it is ours, its files synced.
func (s *Store) Close() error {
	s.conn.Close()
	if s.server != nil {
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}
	return nil
}

// checkFree refuses a disk without room.
func checkFree(dir string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return os.NewSyscallError("statfs "+dir, err)
	}
	if free := int64(fs.Bavail) * fs.Bsize; free < minFree {
		return fmt.Errorf("%s: %d MB free on its disk, a batch wants %d", filepath.Dir(dir), free>>20, int64(minFree)>>20)
	}
	return nil
}
