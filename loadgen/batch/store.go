package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sys/unix"
)

// Names in the store, each after the store's prefix.
const (
	ledgerBucket  = "trials"
	lockBucket    = "locks"
	objectBucket  = "results"
	profileBucket = "profiles"
	queueStream   = "queue"
	queueSubject  = "trial"
	queueConsumer = "workers"
	helloSubject  = "hello" // workers to the coordinator
	askSubject    = "ask"   // anybody to the coordinator
)

// A Store is a connection to where ledger, queue and objects live.
type Store struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	server *server.Server // nil for somebody else's
	batch  string         // whose names are meant, on a server with several; "" on one of our own
}

// bucket and subject are names of this batch.
func (s *Store) bucket(name string) string  { return "edgebench-" + s.batch + name }
func (s *Store) subject(name string) string { return "edgebench." + s.batch + name }

// DefaultMinFree is the room a batch wants on its disks, in bytes: results of a
// trial are a few megabytes, and a full disk must not be met in the middle of one.
const DefaultMinFree = 256 << 20

var errNoRoom = errors.New("the disk is nearly full")

// OpenStore starts a server inside the process, its files in dir. Nobody but this
// process can reach it unless listen says so.
func OpenStore(ctx context.Context, dir string, listen *Listen) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
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
			return nil, fmt.Errorf("batch store: %w", err)
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("batch store %s: %w", dir, err)
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		s.Shutdown()
		return nil, fmt.Errorf("batch store %s: the server did not become ready", dir)
	}
	conn, err := nats.Connect("", nats.InProcessServer(s), nats.Name("coordinator"), nats.Token(o.Authorization))
	if err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("batch store %s: %w", dir, err)
	}
	return newStore(conn, s, "")
}

func newStore(conn *nats.Conn, s *server.Server, batch string) (*Store, error) {
	js, err := jetstream.New(conn)
	store := &Store{conn: conn, js: js, server: s}
	if batch != "" {
		store.batch = batch + "-"
	}
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

// forget removes a batch whose results are all committed from a server that goes
// on without it.
func (s *Store) forget(ctx context.Context) error {
	return errors.Join(
		s.js.DeleteKeyValue(ctx, s.bucket(ledgerBucket)), s.js.DeleteKeyValue(ctx, s.bucket(lockBucket)),
		s.js.DeleteObjectStore(ctx, s.bucket(objectBucket)), s.js.DeleteObjectStore(ctx, s.bucket(profileBucket)),
		s.js.DeleteStream(ctx, s.bucket(queueStream)),
	)
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

// checkFree refuses a disk with less room than so many bytes.
func checkFree(dir string, want int64) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return os.NewSyscallError("statfs "+dir, err)
	}
	if free := int64(fs.Bavail) * fs.Bsize; free < want {
		return fmt.Errorf("%s: %w: %d MB are free, %d are wanted", dir, errNoRoom, free>>20, want>>20)
	}
	return nil
}
