package batch

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"edgebench/analysis/rundir"
)

// Files of a committed result, results/<trial>/.
const (
	resultsDir     = "results"
	resultManifest = "manifest.json"
	partial        = ".partial-" // a result half written
	// RunDir is the run directory inside a committed result.
	RunDir = "run"
)

// A Result is manifest.json of a committed trial: what it is and the sum of every
// file, so that a damaged one is noticed and made again.
type Result struct {
	Trial   Trial             `json:"trial"`
	Attempt int               `json:"attempt"`
	Worker  string            `json:"worker"`
	Version string            `json:"version"` // of the program that ran it
	Verdict string            `json:"verdict"`
	Errors  []string          `json:"errors"` // of earlier attempts
	Object  string            `json:"object"`
	SHA256  string            `json:"sha256"` // of the packed run directory
	Files   map[string]string `json:"files"`  // path below run/ → sha256, of raw files
}

// pack writes a folder as a tar, files in order of their paths and without times,
// so that equal folders have equal sums. It returns the sum.
func pack(w io.Writer, dir string) (sum string, err error) {
	h := sha256.New()
	tw := tar.NewWriter(io.MultiWriter(w, h))
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := tw.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(data))}); err != nil {
			return err
		}
		_, err = tw.Write(data)
		return err
	})
	if err := errors.Join(err, tw.Close()); err != nil {
		return "", fmt.Errorf("pack %s: %w", dir, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// unpack writes the files of a tar below dir, each synced, and returns their
// sums, those of derived files aside. A name that leads out of dir is refused.
func unpack(r io.Reader, dir string) (map[string]string, error) {
	sums := map[string]string{}
	for tr := tar.NewReader(r); ; {
		header, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return sums, nil
		}
		if err != nil {
			return nil, err
		}
		if !filepath.IsLocal(header.Name) {
			return nil, fmt.Errorf("a packed result names %q", header.Name)
		}
		path := filepath.Join(dir, header.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		sum, err := writeSynced(path, tr)
		if err != nil {
			return nil, err
		}
		if !rundir.Derived(header.Name) { // a report may be made again
			sums[header.Name] = sum
		}
	}
}

// unpackSummed is unpack with the sum of all that was packed.
func unpackSummed(packed io.Reader, dir string) (files map[string]string, sum string, err error) {
	h := sha256.New()
	if files, err = unpack(io.TeeReader(packed, h), dir); err != nil {
		return nil, "", err
	}
	if _, err := io.Copy(h, packed); err != nil { // the padding behind the last file
		return nil, "", err
	}
	return files, hex.EncodeToString(h.Sum(nil)), nil
}

func writeSynced(path string, r io.Reader) (sum string, err error) {
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), r)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Results is the folder of committed results.
type Results struct{ dir string }

func (r Results) path(trial string) string { return filepath.Join(r.dir, resultsDir, trial) }

// Run is the run directory of a committed trial.
func (r Results) Run(trial string) string { return filepath.Join(r.path(trial), RunDir) }

// Commit makes the result durable: files, then the manifest, then the folder's
// name. A result that is there already, and whole, stays.
func (r Results) Commit(result Result, packed io.Reader) error {
	if known, err := r.Read(result.Trial.ID); err == nil && known.SHA256 == result.SHA256 {
		return nil
	}
	parent := filepath.Join(r.dir, resultsDir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	draft, err := os.MkdirTemp(parent, partial+result.Trial.ID+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	var sum string
	if result.Files, sum, err = unpackSummed(packed, filepath.Join(draft, RunDir)); err != nil {
		return fmt.Errorf("commit trial %s: %w", result.Trial.ID, err)
	}
	if sum != result.SHA256 {
		return fmt.Errorf("commit trial %s: the packed result has sha256 %.12s, the ledger says %.12s", result.Trial.ID, sum, result.SHA256)
	}
	data, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	if _, err := writeSynced(filepath.Join(draft, resultManifest), strings.NewReader(string(data)+"\n")); err != nil {
		return err
	}
	return r.place(draft, result.Trial.ID)
}

// place gives a result its name, in place of a damaged one.
func (r Results) place(draft, trial string) error {
	final := r.path(trial)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	if err := os.Chmod(draft, 0o755); err != nil {
		return err
	}
	if err := os.Rename(draft, final); err != nil {
		return err
	}
	return errors.Join(syncDir(final), syncDir(filepath.Dir(final)))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Read returns a committed result whose files all have their sums.
func (r Results) Read(trial string) (Result, error) {
	result, err := r.tell(trial)
	if err != nil {
		return Result{}, err
	}
	for name, want := range result.Files {
		f, err := os.Open(filepath.Join(r.Run(trial), name))
		if err != nil {
			return Result{}, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return Result{}, err
		}
		if sum := hex.EncodeToString(h.Sum(nil)); sum != want {
			return Result{}, fmt.Errorf("trial %s: %s has sha256 %.12s, its manifest says %.12s", trial, name, sum, want)
		}
	}
	return result, nil
}

// List names the committed trials, whole or not, in the order of their names.
func (r Results) List() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(r.dir, resultsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var trials []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			trials = append(trials, e.Name())
		}
	}
	slices.Sort(trials)
	return trials, err
}

// Clean removes what a killed commit left half done.
func (r Results) Clean() error {
	left, err := filepath.Glob(filepath.Join(r.dir, resultsDir, partial+"*"))
	for _, path := range left {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}
