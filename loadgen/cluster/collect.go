package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pkg/sftp"
)

// fetchers are how many files come at once from a node: small ones are round
// trips more than bytes.
const fetchers = 8

// passes is how often files that changed under the reader's eyes are tried: a batch
// that goes on replaces its status each few seconds.
const passes = 4

// errChanged is about a file that is not any more what it was when it was summed.
var errChanged = errors.New("it changes while it is fetched")

// Collect fetches what runs and batches a node has, below dir/NODE/. What is there
// with the same sum is left alone; what was half fetched goes on where it ended.
func Collect(ctx context.Context, s *Session, dir string) (did string, err error) {
	files, err := s.Host.Files()
	if err != nil {
		return "", err
	}
	release := s.Host.Within(ctx)
	defer release()
	var got haul
	for range passes {
		s.tell("summing files")
		out, err := s.Host.Run(ctx, script("list", listText), s.Folder)
		if err != nil {
			return "", err
		}
		remote, err := parseSums(out)
		if err != nil {
			return "", err
		}
		s.tell(fmt.Sprintf("fetching %d files", len(remote)))
		got.begin(len(remote))
		got.fetchAll(ctx, s, files, dir, remote)
		if cause := context.Cause(ctx); cause != nil {
			return "", fmt.Errorf("%d of %d files are here, the same command goes on: %w", got.done.Load(), got.total, cause)
		}
		if !got.onlyChanged() {
			break
		}
	}
	return got.told()
}

// A haul is what came from one node.
type haul struct {
	total                int
	done, fetched, bytes atomic.Int64 // done is of one pass

	mu     sync.Mutex
	faults []error // of one pass
}

func (h *haul) begin(total int) {
	h.total, h.faults = total, nil
	h.done.Store(0)
}

// fetchAll is one pass over what a node has.
func (h *haul) fetchAll(ctx context.Context, s *Session, files *sftp.Client, dir string, remote []sumOf) {
	var wg sync.WaitGroup
	queue := make(chan sumOf)
	for range fetchers {
		wg.Go(func() {
			for f := range queue {
				n, came, err := fetch(files, path.Join(s.Folder, f.path), filepath.Join(dir, s.Node.Name, filepath.FromSlash(f.path)), f.sum)
				h.add(n, came, err)
				s.tell(fmt.Sprintf("%d of %d files, %.1f MB", h.done.Load(), h.total, float64(h.bytes.Load())/1e6))
			}
		})
	}
	for _, f := range remote {
		if ctx.Err() != nil {
			break
		}
		queue <- f
	}
	close(queue)
	wg.Wait()
}

func (h *haul) add(n int64, came bool, err error) {
	h.done.Add(1)
	h.bytes.Add(n)
	if came && err == nil {
		h.fetched.Add(1)
	}
	if err != nil {
		h.mu.Lock()
		h.faults = append(h.faults, err)
		h.mu.Unlock()
	}
}

// onlyChanged reports whether another pass would help.
func (h *haul) onlyChanged() bool {
	return len(h.faults) > 0 && !slices.ContainsFunc(h.faults, func(err error) bool { return !errors.Is(err, errChanged) })
}

func (h *haul) told() (string, error) {
	switch fetched := h.fetched.Load(); {
	case len(h.faults) > 0:
		return "", fmt.Errorf("%d of %d files did not come, the same command tries again: %w", len(h.faults), h.total, h.faults[0])
	case fetched == 0:
		return fmt.Sprintf("%d files, all here already", h.total), nil
	default:
		return fmt.Sprintf("%d files, %d of them new, %.1f MB", h.total, fetched, float64(h.bytes.Load())/1e6), nil
	}
}

type sumOf struct{ sum, path string }

// parseSums reads the lines of sha256sum. A path that leads out of the folder, or
// has a line end in it, is refused.
func parseSums(text string) ([]sumOf, error) {
	var sums []sumOf
	for line := range strings.Lines(text) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || len(strings.TrimPrefix(sum, `\`)) != hex.EncodedLen(sha256.Size) {
			continue // of the login shell's start-up files
		}
		if strings.HasPrefix(sum, `\`) || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("a file named %q cannot be fetched", name)
		}
		sums = append(sums, sumOf{sum, name})
	}
	return sums, nil
}

// fetch brings one file; n are the bytes that came, and came is false when it was here.
func fetch(files *sftp.Client, from, to, want string) (n int64, came bool, err error) {
	if sum, err := sumFile(to); err == nil && sum == want {
		return 0, false, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return 0, false, err
	}
	part := to + ".part"
	for attempt := range 2 {
		var more int64
		more, err = goOn(files, from, part)
		n += more
		if errors.Is(err, fs.ErrNotExist) { // it was there when it was summed
			err = fmt.Errorf("%w: %w", errChanged, err)
		}
		if err != nil {
			return n, true, fmt.Errorf("%s: %w", from, err)
		}
		sum, err := sumFile(part)
		if err != nil {
			return n, true, err
		}
		if sum == want {
			return n, true, os.Rename(part, to)
		}
		// What was here may be of an earlier state: once more, from the start.
		if err := os.Remove(part); err != nil {
			return n, true, err
		}
		if attempt == 1 {
			return n, true, fmt.Errorf("%s: came with sha256 %.12s, was summed as %.12s: %w", from, sum, want, errChanged)
		}
	}
	return n, true, err
}

// goOn appends to part what the file has beyond it, and syncs.
func goOn(files *sftp.Client, from, part string) (int64, error) {
	src, err := files.Open(from)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	dst, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return 0, err
	}
	info, err := dst.Stat()
	if err == nil {
		_, err = src.Seek(info.Size(), io.SeekStart)
	}
	var n int64
	if err == nil {
		n, err = src.WriteTo(dst)
	}
	return n, errors.Join(err, dst.Sync(), dst.Close())
}

func sumFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, fs.ErrInvalid)
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
