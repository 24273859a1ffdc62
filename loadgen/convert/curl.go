package convert

import (
	"io"
	"regexp"
	"strings"

	"edgebench/profiles"
)

var curlStart = regexp.MustCompile(`^\s*(#[^\n]*\n\s*)*([$%] +)?([A-Za-z_][A-Za-z0-9_]*=\S* +)*(\S*/)?curl(\.exe)?\s`)

func guessCurl(head []byte) bool { return curlStart.Match(append(head[:len(head):len(head)], ' ')) }

// readCurl reads command lines. Each URL, --next and further line is a request.
func readCurl(r io.Reader, d *draft) {
	text, ok := d.text(r)
	if !ok {
		return
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		d.fault(position{1, 1}.advance(text[:i]), "a NUL: no command line has one")
		return
	}
	flags := curlFlags()
	for _, words := range d.commands(text) {
		if words = d.program(words); words != nil {
			c := &curlLine{d: d, flags: flags}
			c.read(words)
			c.finish()
		}
	}
	d.told = "loadgen names itself in User-Agent unless the command line had one."
}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// program leaves the words behind curl, nil where it is another program.
func (d *draft) program(words []word) []word {
	for i, w := range words {
		switch {
		case i == 0 && (w.text == "$" || w.text == "%"), assignment.MatchString(w.text):
			continue
		case strings.TrimSuffix(w.text[strings.LastIndexByte(w.text, '/')+1:], ".exe") == "curl":
			return append([]word{}, words[i+1:]...)
		}
		d.fault(w.at, "%q is not curl: only curl command lines become requests", clip(w.text))
		return nil
	}
	return nil
}

// A curlLine gathers what the flags of one request say.
type curlLine struct {
	d     *draft
	flags map[string]curlFlag
	curlSaid
}

// curlSaid is what --next begins anew.
type curlSaid struct {
	urls         []word
	verb         string
	headers      []curlHeader
	removed      map[string]bool // headers that curl would send, and shall not
	parts        []curlData
	query        []string
	fields       []curlField
	file         *word // of --upload-file
	account      *word // of --user
	signature    *word // of --aws-sigv4
	proxyAccount *word
	cookies      []string
	cookieAt     position
	way          profiles.Way
	resolves     []word
	connects     []word
	timeout      *word
	wantsHead    bool
	wantsGet     bool
	globbed      bool // --globoff
	dots         bool // --path-as-is
	isForm       bool
	wantsJSON    bool
	aim          *word // of --request-target
}

type curlHeader struct {
	at          position
	name, value string
}

// read goes through the words as curl does.
func (c *curlLine) read(words []word) {
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		switch {
		case w.text == "--" || w.text == "-":
		case strings.HasPrefix(w.text, "--"):
			words = c.long(w, words)
		case strings.HasPrefix(w.text, "-"):
			words = c.short(w, words)
		default:
			c.urls = append(c.urls, w)
		}
	}
}

// long is --name, --no-name, and what curl 8.16 allows too, nothing behind =.
func (c *curlLine) long(w word, rest []word) []word {
	name, on := w.text, true
	f, known := c.flags[name]
	if !known {
		if f, known = c.flags[strings.Replace(name, "--no-", "--", 1)]; known && !f.argument {
			on = false
		} else {
			known = false
		}
	}
	if !known {
		c.d.fault(w.at, "%s", profiles.UnknownName("flag of curl", name, longNames(c.flags)))
		return rest
	}
	return c.apply(f, name, w.at, on, nil, rest)
}

// short is one or several letters; the last may have its argument behind it.
func (c *curlLine) short(w word, rest []word) []word {
	for i := 1; i < len(w.text); i++ {
		f, known := c.flags["-"+w.text[i:i+1]]
		at := w.at.advance(w.text[:i])
		if !known {
			c.d.fault(w.at, "unknown flag of curl %q", clip("-"+w.text[i:i+1]))
			return rest
		}
		if f.argument && i+1 < len(w.text) {
			return c.apply(f, "-"+w.text[i:i+1], w.at, true, &word{w.text[i+1:], at}, rest)
		}
		rest = c.apply(f, "-"+w.text[i:i+1], w.at, true, nil, rest)
	}
	return rest
}

// apply does what a flag says; it takes its argument from rest unless it has it.
func (c *curlLine) apply(f curlFlag, name string, at position, on bool, argument *word, rest []word) []word {
	if f.argument && argument == nil {
		if len(rest) == 0 {
			if f.long == "--help" {
				return rest
			}
			c.d.fault(at, "%s needs an argument", name)
			return rest
		}
		argument, rest = &rest[0], rest[1:]
	}
	switch {
	case f.do != nil:
		w := word{at: at}
		if argument != nil {
			w = *argument
		}
		f.do(c, w, on)
	case f.why != "" && on:
		c.d.lost(at, name, f.why)
	}
	return rest
}

// next ends one request and begins another.
func (c *curlLine) next(word, bool) {
	c.finish()
	c.curlSaid = curlSaid{}
}
