package batch

import (
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"edgebench/loadgen/transport/transporttest"
)

// joined starts a worker of the simulator at an address, and returns its end.
func joined(t *testing.T, wg *sync.WaitGroup, a Access) {
	t.Helper()
	s, err := Dial(a)
	if err != nil {
		t.Error(err)
		return
	}
	w := &Worker{Name: "w", Node: "n", Version: "test", Scratch: t.TempDir(), Runner: &simulator{}, Notice: io.Discard, Patience: time.Minute}
	if err := w.Join(s); err != nil {
		t.Error(err)
	}
	wg.Go(func() {
		if err := w.Work(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func servedPlan(t *testing.T, name string) (Folder, *Plan) {
	t.Helper()
	text := strings.NewReplacer("name: small", "name: "+name, "trials: 4", "trials: 1").Replace(small)
	p, f := planOf(t, text), NewFolder(t.TempDir())
	if err := f.Save(p, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return f, p
}

// Two batches on a server that somebody else runs do not meet, and leave nothing.
func TestBatchesShareAServer(t *testing.T) {
	t.Parallel()
	n, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	n.Start()
	defer n.Shutdown()
	if !n.ReadyForConnections(time.Minute) {
		t.Fatal("the server did not start")
	}
	var wg sync.WaitGroup
	for _, name := range []string{"one", "two"} {
		folder, p := servedPlan(t, name)
		a := Access{URL: n.ClientURL(), Batch: name}
		wg.Go(func() {
			status, err := Served{Folder: folder, Plan: p, Access: &a, Notice: io.Discard}.Run(t.Context())
			if err != nil || !status.Complete() {
				t.Errorf("%s: %+v, %v", name, status, err)
			}
		})
		joined(t, &wg, a)
	}
	wg.Wait()
	if v, err := n.Jsz(&server.JSzOptions{}); err != nil || v.Streams != 0 {
		t.Errorf("%d streams are left on the server, %v", v.Streams, err)
	}
}

func TestABatchOverTLS(t *testing.T) {
	t.Parallel()
	authority := transporttest.NewAuthority(t)
	_, cert, key := authority.Sign("coordinator", time.Now().Add(time.Hour), "127.0.0.1")
	folder, p := servedPlan(t, "secret")
	var wg sync.WaitGroup
	status, err := Served{
		Folder: folder, Plan: p, Listen: &Listen{Host: "127.0.0.1", Cert: cert, Key: key}, Notice: io.Discard,
		Ready: func(url string) {
			if s, err := Dial(Access{URL: url}); err == nil {
				t.Error("a worker that does not know the authority trusts it", s.Close())
			}
			joined(t, &wg, Access{URL: url, CA: authority.File})
		},
	}.Run(t.Context())
	wg.Wait()
	if err != nil || !status.Complete() {
		t.Errorf("%+v, %v", status, err)
	}
	if results, err := filepath.Glob(filepath.Join(folder.dir, resultsDir, "*")); err != nil || len(results) != 2 {
		t.Errorf("%v, %v", results, err)
	}
}
