package profiles

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Placeholders of a request's text. What each becomes depends on the seed and
// the request's index in the schedule alone:
//
//	{{index}}       position in the schedule, from 0
//	{{counter}}     start + step × index, see Counter
//	{{csv.COLUMN}}  a field of the request's row of the CSV file
//	{{random.N}}    N lower-case letters and digits
//	{{uuid}}        a random UUID, version 4
//	${NAME}         the environment variable NAME, in the path, header values and auth only
//
// {{{{ stands for {{ and $${ for ${.
const (
	IndexPlace   = "index"
	CounterPlace = "counter"
	CSVPlace     = "csv"
	RandomPlace  = "random"
	UUIDPlace    = "uuid"
	SecretPlace  = "env"
)

// MaxRandom is the longest {{random.N}}.
const MaxRandom = 4096

// A Part is a piece of a template: literal text, or a placeholder.
type Part struct {
	Text  string // when Place is empty
	Place string // one of the above
	Name  string // of the column or variable
	N     int    // of random
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ParseTemplate takes text apart. secrets says whether ${NAME} means something;
// where it does not, it is text.
func ParseTemplate(text string, secrets bool) ([]Part, error) {
	var parts []Part
	var literal strings.Builder
	place := func(p Part) {
		if literal.Len() > 0 {
			parts = append(parts, Part{Text: literal.String()})
			literal.Reset()
		}
		parts = append(parts, p)
	}
	for text != "" {
		switch {
		case strings.HasPrefix(text, "{{{{"):
			literal.WriteString("{{")
			text = text[4:]
		case strings.HasPrefix(text, "{{"):
			name, rest, found := strings.Cut(text[2:], "}}")
			if !found {
				return nil, fmt.Errorf("%q: {{ without }}; write {{{{ for the characters {{", clip(text))
			}
			p, err := placeholder(name)
			if err != nil {
				return nil, err
			}
			place(p)
			text = rest
		case secrets && strings.HasPrefix(text, "$${"):
			literal.WriteString("${")
			text = text[3:]
		case secrets && strings.HasPrefix(text, "${"):
			name, rest, found := strings.Cut(text[2:], "}")
			if !found || !variableName.MatchString(name) {
				return nil, fmt.Errorf("${ without the name of an environment variable and }; write $${ for the characters ${")
			}
			place(Part{Place: SecretPlace, Name: name})
			text = rest
		default:
			literal.WriteByte(text[0])
			text = text[1:]
		}
	}
	if literal.Len() > 0 {
		parts = append(parts, Part{Text: literal.String()})
	}
	return parts, nil
}

// placeholder reads what stands between the braces.
func placeholder(text string) (Part, error) {
	name, arg, dotted := strings.Cut(text, ".")
	switch {
	case !dotted && (name == IndexPlace || name == CounterPlace || name == UUIDPlace):
		return Part{Place: name}, nil
	case dotted && name == CSVPlace && arg != "":
		return Part{Place: name, Name: arg}, nil
	case dotted && name == RandomPlace:
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > MaxRandom {
			return Part{}, fmt.Errorf("{{%s}}: want a number of characters from 1 to %d", clip(text), MaxRandom)
		}
		return Part{Place: name, N: n}, nil
	}
	return Part{}, fmt.Errorf("{{%s}} is no placeholder (known: {{index}}, {{counter}}, {{csv.COLUMN}}, {{random.N}}, {{uuid}}); write {{{{ for the characters {{", clip(text))
}

// Literal writes text so that a template has it as it is; secrets as for
// ParseTemplate.
func Literal(text string, secrets bool) string {
	text = strings.ReplaceAll(text, "{{", "{{{{")
	if secrets {
		text = strings.ReplaceAll(text, "${", "$${")
	}
	return text
}

// template reports what is wrong with the placeholders of a text.
func (v value) template(text string, secrets bool) {
	if _, err := ParseTemplate(text, secrets); err != nil {
		v.fault("%v", err)
	}
}
