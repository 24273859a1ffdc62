package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// A mirror copies committed results to another folder, as on a disk that several
// machines share, in the layout of a batch folder: reports read either. It works
// beside the batch, which never waits for a slow disk but at its end.
type mirror struct {
	from, to Folder
	fault    func(error)

	mu   sync.Mutex
	wake *sync.Cond
	todo []string
	shut bool
	wg   sync.WaitGroup
}

// openMirror copies the plan and begins to take results.
func openMirror(from, to Folder, fault func(error)) (*mirror, error) {
	if err := os.MkdirAll(to.dir, 0o777); err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	if known, err := to.Load(); err == nil {
		mine, err := from.Load()
		if err == nil {
			err = to.same(known, mine)
		}
		if err != nil {
			return nil, fmt.Errorf("mirror: %w", err)
		}
	} else if err := errors.Join(
		copyFile(from, to, batchFile), os.CopyFS(filepath.Join(to.dir, profilesDir), os.DirFS(filepath.Join(from.dir, profilesDir))),
		copyFile(from, to, planFile), // last: a folder with a plan is complete
	); err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	if err := to.Results().Clean(); err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	m := &mirror{from: from, to: to, fault: fault}
	m.wake = sync.NewCond(&m.mu)
	m.wg.Go(m.work)
	return m, nil
}

func copyFile(from, to Folder, name string) error {
	data, err := os.ReadFile(filepath.Join(from.dir, name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to.dir, name), data, privateFiles)
}

// add has a committed trial copied, soon.
func (m *mirror) add(trial string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.todo = append(m.todo, trial)
	m.wake.Signal()
}

// close copies what is left, trying once more what failed.
func (m *mirror) close() {
	m.mu.Lock()
	m.shut = true
	m.wake.Signal()
	m.mu.Unlock()
	m.wg.Wait()
}

func (m *mirror) work() {
	var again []string
	for {
		m.mu.Lock()
		for len(m.todo) == 0 && !m.shut {
			m.wake.Wait()
		}
		todo, shut := m.todo, m.shut
		m.todo = nil
		m.mu.Unlock()
		if shut {
			todo, again = append(again, todo...), nil
		}
		for _, trial := range todo {
			if err := m.copy(trial); err != nil {
				m.fault(fmt.Errorf("mirror %s: trial %s: %w", m.to.dir, trial, err))
				again = append(again, trial)
			}
		}
		if shut {
			return
		}
	}
}

// copy makes a whole copy, each of its files read back and summed, or none.
func (m *mirror) copy(trial string) error {
	mine, err := m.from.Results().Read(trial)
	if err != nil {
		return err
	}
	there, err := m.to.Results().Read(trial)
	if err == nil && there.SHA256 == mine.SHA256 {
		return nil
	}
	parent := filepath.Join(m.to.dir, resultsDir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	draft, err := os.MkdirTemp(parent, partial+trial+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	if err := copyTree(draft, m.from.Results().path(trial)); err != nil {
		return err
	}
	if _, err := m.to.Results().Read(filepath.Base(draft)); err != nil {
		return err
	}
	return m.to.Results().place(draft, trial)
}

// copyTree copies a folder's files, each synced.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o777)
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = writeSynced(filepath.Join(to, name), f)
		return err
	})
}
