package request

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"edgebench/profiles"
)

// A signer adds Amazon's signature, version 4, to requests of one function.
type signer struct {
	service, region string
	credentials     aws.Credentials
	origin          *url.URL
	signer          *v4.Signer
}

// contentHash is the header in which S3 wants the hash of the body told.
const contentHash = "X-Amz-Content-Sha256"

func (b *builder) signer(s *profiles.SigV4) *signer {
	made := &signer{
		service: b.secret("auth.sigv4.service", s.Service), region: b.secret("auth.sigv4.region", s.Region),
		credentials: aws.Credentials{
			AccessKeyID:     b.secret("auth.sigv4.access_key", s.AccessKey),
			SecretAccessKey: b.secret("auth.sigv4.secret_key", s.SecretKey),
			SessionToken:    b.secret("auth.sigv4.session_token", s.SessionToken),
		},
		origin: b.origin,
	}
	made.signer = v4.NewSigner(func(o *v4.SignerOptions) {
		o.DisableURIPathEscaping = made.service == "s3" // the one service that signs the path as it is sent
	})
	probe := "GET / HTTP/1.1\r\nHost: h\r\n"
	if _, err := made.lines([]byte(probe), nil, time.Unix(0, 0)); err != nil {
		b.fault("auth.sigv4", "%w", err)
	}
	return made
}

// sign appends the header lines of a signature to a head.
func (s *signer) sign(head, body []byte, now time.Time) []byte {
	lines, err := s.lines(head, body, now)
	if err != nil {
		return head // unsigned: the server refuses it, and the run counts that
	}
	return append(head, lines...)
}

// lines signs a head that is a request line and header lines.
func (s *signer) lines(head, body []byte, now time.Time) (string, error) {
	method, target, headers := headersOf(string(head))
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return "", err
	}
	u.Scheme, u.Host = s.origin.Scheme, s.origin.Host
	r := &http.Request{Method: method, URL: u, Host: headers.Get("Host"), Header: headers, ContentLength: int64(len(body))}
	headers.Del("Host")
	headers.Del("Content-Length")
	before := headers.Clone()
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	if s.service == "s3" {
		headers.Set(contentHash, hash)
	}
	if err := s.signer.SignHTTP(context.Background(), s.credentials, r, hash, s.service, s.region, now); err != nil {
		return "", err
	}
	var out strings.Builder
	for _, name := range []string{contentHash, "X-Amz-Date", "X-Amz-Security-Token", "Authorization"} {
		if value := r.Header.Get(name); value != "" && before.Get(name) == "" {
			fmt.Fprintf(&out, "%s: %s\r\n", name, value)
		}
	}
	return out.String(), nil
}
