package profiles

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// userinfo is cut generously: a password may hold a / that nobody encoded.
var userinfo = regexp.MustCompile(`//.*@`)

// splitURL checks a target's URL and splits it into scheme://[userinfo@]host[:port]
// and the encoded path with query, empty when the URL has none beyond "/". No
// error repeats the userinfo.
func splitURL(text string) (origin, path string, err error) {
	bare := userinfo.ReplaceAllString(text, "//"+redacted+"@")
	shown := strconv.Quote(clip(bare))
	scheme, _, found := strings.Cut(text, "://")
	switch {
	case !found:
		return "", "", fmt.Errorf("%s has no scheme, write http://… or https://…", shown)
	case scheme != "http" && scheme != "https":
		return "", "", fmt.Errorf("%s: the scheme is http or https, in lower case", shown)
	}
	u, err := url.Parse(text)
	if err != nil {
		// The library quotes what it dislikes, so let it look at the bare form only.
		if _, err = url.Parse(bare); err == nil {
			return "", "", fmt.Errorf("%s: what stands before the @ is malformed, percent-encode its special characters", shown)
		}
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return "", "", fmt.Errorf("%s: %v", shown, err)
	}
	switch port, perr := strconv.Atoi(u.Port()); {
	case u.Hostname() == "":
		return "", "", fmt.Errorf("%s has no host", shown)
	case strings.HasSuffix(u.Host, ":"):
		return "", "", fmt.Errorf("%s has an empty port", shown)
	case u.Port() != "" && (perr != nil || port < 1 || port > 65535):
		return "", "", fmt.Errorf("%s: port %s is outside 1 to 65535", shown, u.Port())
	case strings.Contains(text, "#"):
		return "", "", fmt.Errorf("%s has a fragment (#), which is never sent", shown)
	}
	origin = (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String()
	// As given, not as the library would write it: {{index}} is to stay that.
	_, rest, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		path = EncodePath(rest[i:])
	}
	switch {
	case path == "/":
		path = ""
	case strings.HasPrefix(path, "?"):
		path = "/" + path
	}
	return origin, path, nil
}
