package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Push brings the programs of dir that a node lacks. What it has already, by sum,
// is left alone; what comes new takes the old one's place in one step.
func Push(ctx context.Context, s *Session, dir string) (did string, err error) {
	s.tell("looking")
	node, err := s.run(ctx, "probe", probeText, Programs...)
	if err != nil {
		return "", err
	}
	if system := last(node["system"]); system != "Linux" {
		return "", fmt.Errorf("it runs %q: loadgen and target want Linux", system)
	}
	var missing []Program
	var bytes int64
	for _, name := range Programs {
		p, err := FindProgram(dir, name, last(node["machine"]))
		if err != nil {
			return "", err
		}
		if last(node["sum_"+name]) != p.Sum {
			missing = append(missing, p)
			bytes += p.Size
		}
	}
	if len(missing) == 0 {
		return "has the same programs already", nil
	}
	if free, err := strconv.ParseInt(last(node["free_kb"]), 10, 64); err == nil && free<<10 < 2*bytes {
		return "", fmt.Errorf("%s has %d MB free, the programs take %d MB", s.Folder, free>>10, bytes>>20)
	}
	var names []string
	for _, p := range missing {
		f, err := os.Open(p.Path)
		if err != nil {
			return "", err
		}
		err = s.put(ctx, f, p.Size, p.Sum, "bin/"+p.Name, 0o755)
		f.Close()
		if err != nil {
			return "", err
		}
		names = append(names, p.Name)
	}
	return fmt.Sprintf("got %s, %.1f MB", strings.Join(names, " and "), float64(bytes)/1e6), nil
}

// Put writes a small file below the node's folder, as Push does a program.
func (s *Session) Put(ctx context.Context, data []byte, name string, mode fs.FileMode) error {
	sum := sha256.Sum256(data)
	return s.put(ctx, bytes.NewReader(data), int64(len(data)), hex.EncodeToString(sum[:]), name, mode)
}

// PutFolder writes every file below dir to the node's folder name.
func (s *Session) PutFolder(ctx context.Context, dir, name string) error {
	return filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return s.Put(ctx, data, path.Join(name, filepath.ToSlash(below)), 0o600)
	})
}

// Read is a small file of the node's folder; fs.ErrNotExist where there is none.
func (s *Session) Read(ctx context.Context, name string) ([]byte, error) {
	files, err := s.Host.Files()
	if err != nil {
		return nil, err
	}
	release := s.Host.Within(ctx)
	defer release()
	f, err := files.Open(path.Join(s.Folder, name))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path.Join(s.Folder, name), err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, smallFile))
}

// smallFile bounds what Read gives, in bytes: a plan of 10,000 trials.
const smallFile = 16 << 20

func (s *Session) put(ctx context.Context, from io.Reader, size int64, sum, name string, mode fs.FileMode) error {
	files, err := s.Host.Files()
	if err != nil {
		return err
	}
	release := s.Host.Within(ctx)
	defer release()
	folder := path.Join(s.Folder, path.Dir(name))
	if err := files.MkdirAll(folder); err != nil {
		return fmt.Errorf("mkdir %s: %w", folder, err)
	}
	// Named by its content: two at work at once write the same.
	upload := path.Join(folder, ".upload-"+sum[:16])
	to, err := files.OpenFile(upload, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return fmt.Errorf("create %s: %w", upload, err)
	}
	err = to.Chmod(0o600) // before there is anything to read
	if err == nil {
		_, err = to.ReadFrom(&meter{from: from, size: size, name: path.Base(name), tell: s.tell})
	}
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("write %s: %w", upload, err)
	}
	rest := strings.TrimPrefix(upload, s.Folder+"/")
	_, err = s.run(ctx, "place", placeText, rest, name, sum, strconv.FormatUint(uint64(mode.Perm()), 8))
	return err
}

// A meter tells how much of a transfer is done, at each tenth.
type meter struct {
	from       io.Reader
	done, size int64
	name       string
	tell       func(string)
	tenth      int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	m.done += int64(n)
	if m.size > 0 {
		if tenth := 10 * m.done / m.size; tenth > m.tenth {
			m.tenth = tenth
			m.tell(fmt.Sprintf("%s %d %%", m.name, 10*tenth))
		}
	}
	return n, err
}

// Size lets sftp choose how many requests to keep in flight.
func (m *meter) Size() int64 { return m.size }
