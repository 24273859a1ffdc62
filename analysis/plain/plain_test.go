package plain

import "testing"

func TestLine(t *testing.T) {
	t.Parallel()
	if got, want := Line("a\x1b[2Jb\r\nc\u202ed\x9be\xff\u0085\u2028é"), "a\ufffd[2Jb  c\ufffdd\ufffde\ufffd\ufffd\ufffdé"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Text("a\x1b\nb\r\n"); got != "a\ufffd\nb \n" {
		t.Errorf("%q", got)
	}
	if got := Short("äöü\x1b", 3); got != "äö…" {
		t.Errorf("%q", got)
	}
	if got := Short("äöü", 3); got != "äöü" {
		t.Errorf("%q", got)
	}
}
