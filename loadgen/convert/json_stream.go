package convert

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// skipMark leaves out the mark that some programs begin UTF-8 with.
func skipMark(r io.Reader) io.Reader {
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	return in
}

// object reads an object, one key after the other; each reads the key's value.
func (h *harReader) object(each func(key string) error) error {
	if err := h.delim('{'); err != nil {
		return err
	}
	for h.dec.More() {
		t, err := h.dec.Token()
		if err != nil {
			return err
		}
		if err := each(t.(string)); err != nil { // a key is a string, the decoder sees to it
			return err
		}
	}
	return h.delim('}')
}

func (h *harReader) array(each func() error) error {
	if err := h.delim('['); err != nil {
		return err
	}
	for h.dec.More() {
		if err := each(); err != nil {
			return err
		}
	}
	return h.delim(']')
}

func (h *harReader) delim(want json.Delim) error {
	t, err := h.dec.Token()
	if err == nil && t != want {
		err = fmt.Errorf("%v where %v should be", clip(fmt.Sprint(t)), want)
	}
	return err
}

// skip passes over a value, token by token: memory for the longest text in it.
func (h *harReader) skip() error {
	for depth := 0; ; {
		t, err := h.dec.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
