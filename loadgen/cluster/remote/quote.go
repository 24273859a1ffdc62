package remote

import (
	"fmt"
	"strings"
)

// quote makes an argument one word of sh, bash, zsh, csh, tcsh and fish alike: in
// single quotes, but for what one of them reads even there: ' ends the quotes, !
// is history to csh, \ escapes to fish. No spelling of a line end means the same
// to all of them, so that is refused.
func quote(arg string) (string, error) {
	if i := strings.IndexAny(arg, "\n\r\x00"); i >= 0 {
		return "", fmt.Errorf("argument %.40q: has a line end or a zero byte", arg)
	}
	var b strings.Builder
	b.WriteByte('\'')
	for _, c := range []byte(arg) {
		switch c {
		case '\'', '!', '\\':
			b.WriteString(`'\`)
			b.WriteByte(c)
			b.WriteByte('\'')
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String(), nil
}
