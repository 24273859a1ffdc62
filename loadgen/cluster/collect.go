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
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pkg/sftp"
)

// fetchers are how many files come at once from a node: small ones are round
// trips more than bytes.
const fetchers = 8

// Collect fetches what runs and batches a node has, below dir/NODE/. What is there
// with the same sum is left alone; what was half fetched goes on where it ended.
func Collect(ctx context.Context, s *Session, dir string) (did string, err error) {
	s.tell("summing files")
	out, err := s.Host.Run(ctx, script("list", listText), s.Folder)
	if err != nil {
		return "", err
	}
	remote, err := parseSums(out)
	if err != nil {
		return "", err
	}
	files, err := s.Host.Files()
	if err != nil {
		return "", err
	}
	release := s.Host.Within(ctx)
	defer release()
	var (
		mu      sync.Mutex
		faults  []error
		bytes   atomic.Int64
		done    atomic.Int64
		fetched atomic.Int64
		wg      sync.WaitGroup
		queue   = make(chan sumOf)
	)
	for range fetchers {
		wg.Go(func() {
			for f := range queue {
				n, came, err := fetch(files, path.Join(s.Folder, f.path), filepath.Join(dir, s.Node.Name, filepath.FromSlash(f.path)), f.sum)
				if came {
					fetched.Add(1)
				}
				bytes.Add(n)
				if err != nil {
					mu.Lock()
					faults = append(faults, err)
					mu.Unlock()
				}
				s.tell(fmt.Sprintf("%d of %d files, %.1f MB", done.Add(1), len(remote), float64(bytes.Load())/1e6))
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
	if cause := context.Cause(ctx); cause != nil {
		return "", fmt.Errorf("%d of %d files are here, the same command goes on: %w", done.Load(), len(remote), cause)
	}
	if len(faults) > 0 {
		return "", fmt.Errorf("%d of %d files did not come, the same command tries again: %w", len(faults), len(remote), faults[0])
	}
	if fetched.Load() == 0 {
		return fmt.Sprintf("%d files, all here already", len(remote)), nil
	}
	return fmt.Sprintf("%d files, %d of them new, %.1f MB", len(remote), fetched.Load(), float64(bytes.Load())/1e6), nil
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
			return n, true, fmt.Errorf("%s: came with sha256 %.12s, was summed as %.12s: is it being written?", from, sum, want)
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
