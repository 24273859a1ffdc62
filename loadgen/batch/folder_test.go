package batch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnotherPlanIsRefused(t *testing.T) {
	t.Parallel()
	f, p := NewFolder(t.TempDir()), planOf(t, small)
	if err := f.Save(p, []byte(small)); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(planOf(t, small), []byte(small)); err != nil {
		t.Errorf("the same plan: %v", err)
	}
	if err := f.Save(planOf(t, strings.Replace(small, "trials: 4", "trials: 5", 1)), nil); !errors.Is(err, ErrOtherPlan) {
		t.Errorf("other trials: %v", err)
	}
	if _, err := f.Load(); err != nil {
		t.Errorf("load: %v", err)
	}
	stored, err := filepath.Glob(filepath.Join(f.dir, profilesDir, "*.yaml"))
	if err != nil || len(stored) == 0 {
		t.Fatal(stored, err)
	}
	data, err := os.ReadFile(stored[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stored[0], []byte(strings.Replace(string(data), "timeout: 10s", "timeout: 9s", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Load(); err == nil || !strings.Contains(err.Error(), "was edited") {
		t.Errorf("an edited profile: %v", err)
	}
}

func TestOneCoordinatorAFolder(t *testing.T) {
	t.Parallel()
	f := NewFolder(t.TempDir())
	release, err := f.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Lock(); err == nil {
		t.Error("two coordinators")
	}
	release()
	again, err := f.Lock()
	if err != nil {
		t.Fatal(err)
	}
	again()
}
