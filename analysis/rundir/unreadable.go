package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// ErrUnreadable is wrapped by every error about what a run directory holds:
// damaged, of another schema, contradicting itself, not to be opened. Who handed
// the directory over has to mend it, not the program.
var ErrUnreadable = errors.New("unreadable run directory")

// unreadable keeps the text of an error and adds the mark.
type unreadable struct{ error }

func (u unreadable) Is(target error) bool { return target == ErrUnreadable }
func (u unreadable) Unwrap() error        { return u.error }

// Unreadable marks an error as ErrUnreadable; nil stays nil.
func Unreadable(err error) error {
	if err == nil {
		return nil
	}
	return unreadable{err}
}

// open is os.Open for a file of a run directory.
func open(path string) (*os.File, error) {
	f, err := os.Open(path)
	return f, Unreadable(err)
}

// jsonFault is an error of decoding a JSON file, with line and column where the
// decoder tells them.
func jsonFault(path string, data []byte, err error) error {
	at := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = syntax.Offset
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at = kind.Offset
	}
	if at < 0 {
		return Unreadable(fmt.Errorf("%s: %w", path, err))
	}
	before := data[:min(at, int64(len(data)))]
	line, column := 1+bytes.Count(before, []byte{'\n'}), len(before)-bytes.LastIndexByte(before, '\n')-1
	return Unreadable(fmt.Errorf("%s:%d:%d: %w", path, line, max(column, 1), err))
}
