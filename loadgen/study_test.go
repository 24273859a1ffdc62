package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"edgebench/analysis/report"
)

// A study with nothing live goes on from a folder that has its cold starts: it
// leaves them as they are, makes the rest, and sets every figure beside ours.
func TestStudy(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates and measures for some seconds")
	}
	t.Parallel()
	c := loadgen(t, "", "study", "--trials", "0", "--twin-trials", "1", "--starts", "1", "--quiet", "--json")
	folder := filepath.Join(c.Dir, "study")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	kept, err := exec.Command(filepath.Join(bin, "target"), "cold-start", "--runtime", "fork,exec", "--n", "2", "--heap", "1MB", "--workers", "2", "--json").Output()
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, coldStartFile), kept, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	var chapters []report.ClaimChapter
	if err := json.Unmarshal(c.stdout.Bytes(), &chapters); err != nil {
		t.Fatal(err)
	}
	claims := 0
	for _, chapter := range chapters {
		for _, claim := range chapter.Claims {
			claims++
			if claim.What == "" || claim.Study == "" || claim.Ours == "" || claim.Verdict == "" {
				t.Errorf("%s: %+v", chapter.Title, claim)
			}
		}
	}
	if len(chapters) != 6 || claims < 40 {
		t.Errorf("%d chapters, %d figures", len(chapters), claims)
	}
	if after, err := os.ReadFile(filepath.Join(folder, coldStartFile)); err != nil || string(after) != string(kept) {
		t.Errorf("cold starts were measured again: %v", err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil || !strings.Contains(string(page), "<svg") {
		t.Errorf("the page: %v, %d bytes", err, len(page))
	}
	if _, err := os.Stat(filepath.Join(folder, partFolder)); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", partFolder, err)
	}
}

func TestStudyRefuses(t *testing.T) {
	t.Parallel()
	c := loadgen(t, "", "study", "--twin-trials", "0")
	c.wantCode(t, c.code(t, c.Run()), exitUsage)
	if !strings.Contains(c.stderr.String(), "--twin-trials 0: want 1 or more") {
		t.Errorf("stderr: %s", c.stderr.String())
	}
}
