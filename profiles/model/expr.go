package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An expr is a formula over a model's parameters: numbers, names, + − * /,
// comparisons, and, or, not, if(condition, this, that), min, max, ceil, floor.
// A hyphen inside a name belongs to it, so a subtraction of names needs spaces.
// A name that is no parameter and no index is a word, as in order == jsq.
type expr struct {
	text string
	root term
}

// result of an expression: a number, or a word if it has one. Truth is 1 or 0.
type result struct {
	number float64
	word   string
}

// scope is what names mean.
type scope struct {
	names map[string]result
	words map[string]bool // words that may be used
}

// with returns the scope with one more name.
func (s scope) with(name string, v float64) scope {
	names := make(map[string]result, len(s.names)+1)
	for k, r := range s.names {
		names[k] = r
	}
	names[name] = result{number: v}
	return scope{names, s.words}
}

type term func(scope) (result, error)

const (
	maxExpr  = 1000 // bytes
	maxDepth = 50
)

// parseExpr reads an expression.
func parseExpr(text string) (expr, error) {
	if len(text) > maxExpr {
		return expr{}, fmt.Errorf("expression of %d bytes: more than %d", len(text), maxExpr)
	}
	p := &exprParser{rest: text}
	p.next()
	root := p.level(0)
	if p.err == nil && p.token != "" {
		p.fail("unexpected %q", p.token)
	}
	if p.err != nil {
		return expr{}, fmt.Errorf("%q: %w", text, p.err)
	}
	return expr{text, root}, nil
}

// number evaluates to a finite number.
func (e expr) number(s scope) (float64, error) {
	r, err := e.root(s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q: %w", e.text, err)
	case r.word != "":
		return 0, fmt.Errorf("%q is the word %s, not a number", e.text, r.word)
	case math.IsNaN(r.number) || math.IsInf(r.number, 0):
		return 0, fmt.Errorf("%q is %v", e.text, r.number)
	}
	return r.number, nil
}

// word evaluates to one of some words.
func (e expr) word(s scope, words ...string) (int, error) {
	known := make(map[string]bool, len(s.words)+len(words))
	for w := range s.words {
		known[w] = true
	}
	for _, w := range words {
		known[w] = true
	}
	r, err := e.root(scope{s.names, known})
	if err != nil {
		return 0, fmt.Errorf("%q: %w", e.text, err)
	}
	for i, w := range words {
		if r.word == w {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%q: not one of %s", e.text, strings.Join(words, ", "))
}

// exprParser is a precedence climber over one token of look-ahead.
type exprParser struct {
	rest  string
	token string
	depth int
	err   error
}

func (p *exprParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.token, p.rest = "", ""
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func (p *exprParser) next() {
	p.rest = strings.TrimLeft(p.rest, " \t\n")
	n := 0
	switch {
	case p.rest == "":
	case letter(p.rest[0]):
		for n < len(p.rest) && (letter(p.rest[n]) || digit(p.rest[n]) || p.rest[n] == '-' && n+1 < len(p.rest) && letter(p.rest[n+1])) {
			n++
		}
	case digit(p.rest[0]) || p.rest[0] == '.':
		for n < len(p.rest) && (letter(p.rest[n]) || digit(p.rest[n]) || p.rest[n] == '.' ||
			(p.rest[n] == '-' || p.rest[n] == '+') && (p.rest[n-1] == 'e' || p.rest[n-1] == 'E')) {
			n++
		}
	case len(p.rest) > 1 && p.rest[1] == '=' && strings.IndexByte("=!<>", p.rest[0]) >= 0:
		n = 2
	default:
		n = 1
	}
	p.token, p.rest = p.rest[:n], p.rest[n:]
}

// operators by level, the loosest first.
func operator(level int, token string) bool {
	ops := [...]string{" or ", " and ", " == != < <= > >= ", " + - ", " * / "}
	return token != "" && strings.Contains(ops[level], " "+token+" ")
}

const levels = 5

func (p *exprParser) level(l int) term {
	if p.depth++; p.depth > maxDepth*levels {
		p.fail("nested too deep")
	}
	defer func() { p.depth-- }()
	if l == levels {
		return p.unary()
	}
	left := p.level(l + 1)
	for p.err == nil && operator(l, p.token) {
		op := p.token
		p.next()
		left = binary(op, left, p.level(l+1))
	}
	return left
}

func (p *exprParser) unary() term {
	token := p.token
	switch {
	case token == "-" || token == "not":
		p.next()
		if p.depth++; p.depth > maxDepth*levels {
			p.fail("nested too deep")
			return nil
		}
		defer func() { p.depth-- }()
		x := p.unary()
		return func(s scope) (result, error) {
			v, err := x.value(s)
			if token == "not" {
				return truth(v == 0), err
			}
			return result{number: -v}, err
		}
	case token == "(":
		p.next()
		x := p.level(0)
		p.expect(")")
		return x
	case token != "" && (digit(token[0]) || token[0] == '.'):
		return p.literal(token)
	case token != "" && letter(token[0]):
		p.next()
		if p.token == "(" {
			return p.call(token)
		}
		return name(token)
	case token == "":
		p.fail("something is missing at the end")
	default:
		p.fail("unexpected %q", token)
	}
	return nil
}

func (p *exprParser) expect(token string) {
	if p.token != token {
		p.fail("expected %q, found %q", token, p.token)
		return
	}
	p.next()
}

func (p *exprParser) literal(token string) term {
	v, err := strconv.ParseFloat(token, 64)
	octal := len(token) > 1 && token[0] == '0' && digit(token[1])
	if err != nil || octal || strings.ContainsAny(token, "xXpP_") {
		p.fail("%q is not a plain number", token)
		return nil
	}
	p.next()
	return func(scope) (result, error) { return result{number: v}, nil }
}

func name(token string) term {
	return func(s scope) (result, error) {
		if r, ok := s.names[token]; ok {
			return r, nil
		}
		if s.words[token] {
			return result{word: token}, nil
		}
		return result{}, fmt.Errorf("unknown name %s", token)
	}
}

// call reads the arguments of a function and applies it.
func (p *exprParser) call(function string) term {
	p.next()
	var args []term
	for p.err == nil {
		args = append(args, p.level(0))
		if p.token != "," {
			break
		}
		p.next()
	}
	p.expect(")")
	if want := map[string]int{"if": 3, "min": 2, "max": 2, "ceil": 1, "floor": 1}[function]; want != len(args) {
		p.fail("%s: not a function of %d arguments (there are if/3, min/2, max/2, ceil/1, floor/1)", function, len(args))
	}
	if function == "if" {
		return func(s scope) (result, error) {
			condition, err := args[0].value(s)
			if err != nil {
				return result{}, err
			}
			if condition != 0 {
				return args[1](s)
			}
			return args[2](s)
		}
	}
	return func(s scope) (result, error) {
		var v [2]float64
		for i, a := range args {
			var err error
			if v[i], err = a.value(s); err != nil {
				return result{}, err
			}
		}
		switch function {
		case "min":
			return result{number: math.Min(v[0], v[1])}, nil
		case "max":
			return result{number: math.Max(v[0], v[1])}, nil
		case "ceil":
			return result{number: math.Ceil(v[0])}, nil
		}
		return result{number: math.Floor(v[0])}, nil
	}
}

// value is a term that has to be a number.
func (t term) value(s scope) (float64, error) {
	r, err := t(s)
	if err == nil && r.word != "" {
		err = fmt.Errorf("%s is a word, not a number", r.word)
	}
	return r.number, err
}

func truth(b bool) result {
	if b {
		return result{number: 1}
	}
	return result{}
}

func binary(op string, a, b term) term {
	if op == "==" || op == "!=" {
		return func(s scope) (result, error) {
			x, err := a(s)
			if err != nil {
				return result{}, err
			}
			y, err := b(s)
			if err == nil && (x.word == "") != (y.word == "") {
				err = fmt.Errorf("a word is compared with a number")
			}
			return truth((x == y) == (op == "==")), err
		}
	}
	return func(s scope) (result, error) {
		x, err := a.value(s)
		if err != nil {
			return result{}, err
		}
		if op == "and" && x == 0 || op == "or" && x != 0 {
			return truth(x != 0), nil
		}
		y, err := b.value(s)
		if err != nil {
			return result{}, err
		}
		switch op {
		case "or", "and":
			return truth(y != 0), nil
		case "<":
			return truth(x < y), nil
		case "<=":
			return truth(x <= y), nil
		case ">":
			return truth(x > y), nil
		case ">=":
			return truth(x >= y), nil
		case "+":
			return result{number: x + y}, nil
		case "-":
			return result{number: x - y}, nil
		case "*":
			return result{number: x * y}, nil
		}
		return result{number: x / y}, nil
	}
}
