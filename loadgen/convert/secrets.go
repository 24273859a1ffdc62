package convert

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"edgebench/profiles"
)

// secrets are the credentials met so far, each with the variable in its place.
type secrets struct {
	all   []Secret
	names map[string]string // by name in the text and value
	taken map[string]bool
}

// reference is ${NAME} for a value; of says what it is. The same value of the same
// thing has one name.
func (s *secrets) reference(name, value, of string) string {
	if s.names == nil {
		s.names, s.taken = map[string]string{}, map[string]bool{}
	}
	key := name + "\x00" + value
	own, known := s.names[key]
	if !known {
		own = unique(variable(name), s.taken)
		own = strings.ReplaceAll(own, "-", "_")
		s.names[key] = own
		s.all = append(s.all, Secret{Name: own, Of: of})
	}
	return "${" + own + "}"
}

var notVariable = regexp.MustCompile(`[^A-Za-z0-9]+`)

// variable is the name of one: X-Api-Key becomes X_API_KEY.
func variable(name string) string {
	name = strings.ToUpper(strings.Trim(notVariable.ReplaceAllString(name, "_"), "_"))
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "SECRET_" + name
	}
	return name[:min(len(name), 60)]
}

// header is a line of a request, with a reference where it carries credentials.
// It reports false where the generator writes the header itself.
func (d *draft) header(name, value string) (profiles.Header, bool) {
	if strings.EqualFold(name, "Content-Length") || strings.EqualFold(name, "Transfer-Encoding") {
		return profiles.Header{}, false
	}
	value = strings.Trim(value, " \t")
	switch scheme, rest, _ := strings.Cut(value, " "); {
	case value == "" || !profiles.SecretHeader(name) || hasVariable(value):
		value = d.resolved(value)
	case strings.EqualFold(scheme, "Bearer") && rest != "":
		value = scheme + " " + d.secrets.reference("BEARER_TOKEN", rest, "what follows Bearer in the header "+name)
	case strings.EqualFold(scheme, "Basic") && rest != "":
		value = scheme + " " + d.secrets.reference("BASIC_CREDENTIALS", rest, "what follows Basic in the header "+name)
	default:
		value = d.secrets.reference(name, value, "the header "+name)
	}
	line := name + ": " + value
	if value == "" {
		line = name + ":"
	}
	return profiles.Header{Name: name, Value: value, Line: line}, true
}

// path is a path with references in place of keys in the query.
func (d *draft) path(text string) string {
	path, query, has := strings.Cut(text, "?")
	path = d.resolved(path)
	if !has {
		return profiles.EncodePath(path)
	}
	parameters := strings.Split(query, "&")
	for i, p := range parameters {
		own := ""
		profiles.ReplaceSecrets("?"+p, func(key, secret string) string {
			if !hasVariable(secret) {
				own = profiles.Literal(key, true) + "=" + d.secrets.reference(key, secret, "the parameter "+key+" of the query, as it stands in the url")
			}
			return secret
		})
		if own == "" {
			own = d.resolved(p)
		}
		parameters[i] = own
	}
	return profiles.EncodePath(path + "?" + strings.Join(parameters, "&"))
}

// basic is user and password.
func (d *draft) basic(r *profiles.Request, user, password string) {
	if user == "" || password == "" {
		both := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
		value := "Basic " + d.secrets.reference("BASIC_CREDENTIALS", both, "base64 of user:password, one of which is empty")
		r.Headers = append(r.Headers, profiles.Header{Name: "Authorization", Value: value, Line: "Authorization: " + value})
		return
	}
	r.Auth = profiles.Auth{Basic: &profiles.Basic{User: d.credential(user, "USERNAME", "the user"), Password: d.credential(password, "PASSWORD", "the password of "+shown(user))}}
}

// credential is a reference, or the one that the text has.
func (d *draft) credential(value, name, of string) string {
	if hasVariable(value) {
		return d.resolved(value)
	}
	return d.secrets.reference(name, value, of)
}

// Variables of a shell stand in a word between NULs, which a word cannot have.
const variableMark = "\x00"

func hasVariable(text string) bool { return strings.Contains(text, variableMark) }

// resolved is text as a template, with ${NAME} for a shell's variables.
func (d *draft) resolved(text string) string {
	pieces := strings.Split(text, variableMark)
	for i := range pieces {
		if i%2 == 1 && i < len(pieces)-1 {
			pieces[i] = d.secrets.named(pieces[i])
		} else {
			pieces[i] = profiles.Literal(pieces[i], true)
		}
	}
	return strings.Join(pieces, "")
}

// named is a variable that the text names itself.
func (s *secrets) named(name string) string {
	key := "\x00" + name
	if s.names == nil {
		s.names, s.taken = map[string]string{}, map[string]bool{}
	}
	if _, known := s.names[key]; !known {
		s.names[key], s.taken[name] = name, true
		s.all = append(s.all, Secret{Name: name, Of: "the text names it"})
	}
	return "${" + name + "}"
}

// shown is text with a shell's variables as they were written.
func shown(text string) string {
	pieces := strings.Split(text, variableMark)
	for i := range pieces {
		if i%2 == 1 && i < len(pieces)-1 {
			pieces[i] = "$" + pieces[i]
		}
	}
	return strings.Join(pieces, "")
}

// secretField finds fields of a body that look like credentials.
var secretField = regexp.MustCompile(`(?i)(?:^|[&"'{,\s])["']?([a-z_-]*(?:password|passwd|secret|token|api[_-]?key)[a-z_-]*)["']?\s*[=:]`)

// body carries bytes as text where they are text.
func (d *draft) body(at position, data string) profiles.Body {
	if m := secretField.FindStringSubmatch(data); m != nil {
		d.note(at, "the body has what looks like a credential (%s), which stands in the profile: keep that to yourself, or put the body into a file", m[1])
	}
	if data != "" && !plainText(data) {
		return profiles.Body{Base64: base64.StdEncoding.EncodeToString([]byte(data))}
	}
	return profiles.Body{Text: profiles.Literal(data, false)}
}

// target takes a URL apart; its user and password become the request's.
func (d *draft) target(at position, text string, r *profiles.Request) (origin string, ok bool) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		scheme, rest = "http", text
	}
	scheme = strings.ToLower(scheme)
	if scheme != "http" && scheme != "https" {
		d.fault(at, "%q: only http and https have a profile", scheme)
		return "", false
	}
	rest, _, _ = strings.Cut(rest, "#")
	end := len(rest)
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		end = i
	}
	authority, path := rest[:end], rest[end:]
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, password, _ := strings.Cut(authority[:i], ":")
		d.basic(r, unescaped(user), unescaped(password))
		authority = authority[i+1:]
	}
	if hasVariable(authority) {
		d.fault(at, "the host is a variable of the shell (%s): write it out", shown(authority))
		return "", false
	}
	if strings.HasPrefix(path, "?") || path == "" {
		path = "/" + path
	}
	r.Path = d.path(path)
	origin = fmt.Sprintf("%s://%s", scheme, authority)
	if _, err := profiles.OneLiner(origin, DefaultRate, DefaultDuration, nil); err != nil {
		d.fault(at, "%s", strings.TrimPrefix(err.Error(), "--url: "))
		return "", false
	}
	return origin, true
}
