package convert

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A word is an argument as a shell hands it over, without its quotes. A variable
// in it stands between variableMarks.
type word struct {
	text string
	at   position
}

// A lexer takes a text apart as a POSIX shell does, with bash's $'…'. It runs
// nothing and expands nothing: variables stay names, what only a shell can know is
// a fault, and redirections and pipes are noted and left out.
type lexer struct {
	d        *draft
	rest     string
	at       position
	word     strings.Builder
	begun    bool // a word was begun, if only by quotes
	from     position
	commands [][]word
}

// commands are the command lines of a text.
func (d *draft) commands(text string) [][]word {
	l := &lexer{d: d, rest: strings.ReplaceAll(text, "\r\n", "\n"), at: position{1, 1}, commands: [][]word{nil}}
	for l.rest != "" {
		l.next()
	}
	l.endCommand()
	return l.commands[:len(l.commands)-1]
}

// take consumes n bytes.
func (l *lexer) take(n int) string {
	text := l.rest[:n]
	l.at, l.rest = l.at.advance(text), l.rest[n:]
	return text
}

func (l *lexer) begin() {
	if !l.begun {
		l.begun, l.from = true, l.at
	}
}

func (l *lexer) endWord() {
	if !l.begun {
		return
	}
	last := len(l.commands) - 1
	l.commands[last] = append(l.commands[last], word{l.word.String(), l.from})
	l.word.Reset()
	l.begun = false
}

func (l *lexer) endCommand() {
	l.endWord()
	if len(l.commands[len(l.commands)-1]) > 0 {
		l.commands = append(l.commands, nil)
	}
}

// next reads one thing outside of quotes.
func (l *lexer) next() {
	switch c := l.rest[0]; {
	case c == '\n' || c == ';':
		l.endCommand()
		l.take(1)
	case c == ' ' || c == '\t':
		l.endWord()
		l.take(1)
	case c == '#' && !l.begun:
		l.take(len(l.line()))
	case c == '|' || c == '&' || c == '<' || c == '>':
		l.operator()
	case c == '(' || c == ')':
		l.d.fault(l.at, "%c: a command of a shell, not a curl command line; quote it if it is part of an argument", c)
		l.take(1)
	case strings.HasPrefix(l.rest, "\\\n"):
		l.take(2)
	case c == '\\':
		l.begin()
		l.take(1)
		if l.rest != "" {
			l.word.WriteString(l.take(1))
		}
	case c == '\'':
		l.begin()
		l.single()
	case c == '"':
		l.begin()
		l.double()
	case strings.HasPrefix(l.rest, "$'"):
		l.begin()
		l.ansi()
	case strings.HasPrefix(l.rest, `$"`): // bash's, to be translated
		l.take(1)
	case c == '$' || c == '`':
		l.begin()
		l.expansion()
	case c == '^' && (strings.HasPrefix(l.rest, "^\n") || strings.HasPrefix(l.rest, `^"`)):
		l.d.fault(l.at, "^ quotes as cmd.exe does: copy the request as a command line for bash")
		l.take(1)
	default:
		l.begin()
		l.word.WriteString(l.take(1))
	}
}

// line is the rest of the line.
func (l *lexer) line() string { return before(l.rest, "\n") }

// operator leaves a pipe or a redirection out.
func (l *lexer) operator() {
	at := l.at
	op := l.take(len(l.rest) - len(strings.TrimLeft(l.rest, "|&<>")))
	if op == "&" && l.begun && l.rest != "" && !strings.ContainsAny(l.rest[:1], " \t\n") {
		l.d.fault(at, "& ends the command here: a shell wants the url in quotes")
	}
	if op == "&" || op == "&&" || op == "||" {
		l.endCommand()
		return
	}
	if l.begun && strings.ContainsAny(op, "<>") && strings.Trim(l.word.String(), "0123456789") == "" {
		l.word.Reset() // the number of a file: 2>
		l.begun = false
	}
	if strings.HasPrefix(op, "|") {
		l.endCommand()
		l.d.lost(at, op+" "+clip(strings.TrimSpace(l.line())), "what a shell does with the answer")
		l.take(len(l.line()))
		return
	}
	l.endWord()
	l.take(len(l.rest) - len(strings.TrimLeft(l.rest, " \t")))
	name := l.take(strings.IndexAny(l.rest+" ", " \t\n;|&<>"))
	l.d.lost(at, op+" "+clip(name), "a redirection of the shell")
}

func (l *lexer) single() {
	at := l.at
	l.take(1)
	end := strings.IndexByte(l.rest, '\'')
	if end < 0 {
		l.d.fault(at, "' is not closed")
		end = len(l.rest)
	}
	l.word.WriteString(l.take(end))
	l.take(min(1, len(l.rest)))
}

func (l *lexer) double() {
	at := l.at
	l.take(1)
	for l.rest != "" {
		switch c := l.rest[0]; {
		case c == '"':
			l.take(1)
			return
		case c == '\\' && len(l.rest) > 1 && strings.IndexByte("$`\"\\\n", l.rest[1]) >= 0:
			if escaped := l.take(2)[1:]; escaped != "\n" {
				l.word.WriteString(escaped)
			}
		case c == '$' || c == '`':
			l.expansion()
		default:
			l.word.WriteString(l.take(1))
		}
	}
	l.d.fault(at, "\" is not closed")
}

// expansion is $NAME or ${NAME}; what has to be run is a fault.
func (l *lexer) expansion() {
	at := l.at
	rest := strings.TrimPrefix(l.rest[1:], "{")
	braced := len(rest) < len(l.rest)-1
	n := 0
	for n < len(rest) && (rest[n] == '_' || isLetter(rest[n]) || n > 0 && isDigit(rest[n])) {
		n++
	}
	switch {
	case l.rest[0] == '`' || strings.HasPrefix(l.rest, "$("):
		l.d.fault(at, "what the shell would run here is not known: run it, and write its result")
		end := map[bool]string{true: "`", false: ")"}[l.rest[0] == '`']
		l.take(min(len(l.rest), 2+len(before(l.rest[1:], end))))
	case n == 0 && !braced:
		l.word.WriteString(l.take(1))
	case n == 0 || braced && !strings.HasPrefix(rest[n:], "}"):
		l.d.fault(at, "only $NAME and ${NAME} can be taken from the environment")
		l.take(1)
	case braced:
		l.take(n + 3)
		l.word.WriteString(variableMark + rest[:n] + variableMark)
	default:
		l.take(n + 1)
		l.word.WriteString(variableMark + rest[:n] + variableMark)
	}
}

// before is the text up to a mark, or all of it.
func before(text, mark string) string {
	text, _, _ = strings.Cut(text, mark)
	return text
}

// ansi is bash's $'…'.
func (l *lexer) ansi() {
	at := l.at
	l.take(2)
	for l.rest != "" {
		switch l.rest[0] {
		case '\'':
			l.take(1)
			return
		case '\\':
			l.escape()
		default:
			l.word.WriteString(l.take(1))
		}
	}
	l.d.fault(at, "$' is not closed")
}

var simpleEscapes = map[byte]byte{'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11, '\\': '\\', '\'': '\'', '"': '"', '?': '?'}

// escape is what follows a backslash in $'…'.
func (l *lexer) escape() {
	at := l.at
	l.take(1)
	if l.rest == "" {
		return
	}
	c := l.rest[0]
	if plain, ok := simpleEscapes[c]; ok {
		l.take(1)
		l.word.WriteByte(plain)
		return
	}
	value, digits := uint64(0), 0
	switch c {
	case 'x':
		value, digits = leading(l.rest[1:], 16, 2)
	case 'u':
		value, digits = leading(l.rest[1:], 16, 4)
	case 'U':
		value, digits = leading(l.rest[1:], 16, 8)
	default:
		value, digits = leading(l.rest, 8, 3)
		l.number(at, rune(value&0xff), digits, false)
		return
	}
	if digits > 0 {
		l.take(1)
	}
	l.number(at, rune(min(value, utf8.MaxRune+1)), digits, c != 'x')
}

// number writes a character given by its number, or the backslash if there was none.
func (l *lexer) number(at position, r rune, digits int, unicode bool) {
	l.take(digits)
	switch {
	case digits == 0:
		l.word.WriteByte('\\')
	case r == 0:
		l.d.fault(at, "a NUL ends the argument: a shell cannot hand one over")
	case unicode:
		l.word.WriteRune(r)
	default:
		l.word.WriteByte(byte(r))
	}
}

// leading reads at most so many digits of a base.
func leading(text string, base, most int) (value uint64, digits int) {
	for digits < min(most, len(text)) {
		v, err := strconv.ParseUint(text[:digits+1], base, 64)
		if err != nil {
			break
		}
		value, digits = v, digits+1
	}
	return value, digits
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
