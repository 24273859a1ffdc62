package request

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"edgebench/loadgen/transport"
)

// The credentials and the instant of Amazon's published examples (Signature
// Version 4 test suite).
const (
	exampleAuth = "auth: {sigv4: {service: service, region: us-east-1, access_key: AKIDEXAMPLE, secret_key: wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY}}"
	exampleKey  = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
)

func exampleInstant() time.Time { return time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC) }

func TestPublishedSignatures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ request, signature string }{
		"get-vanilla":                      {"{" + exampleAuth + "}", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		"post-vanilla":                     {"{method: POST, " + exampleAuth + "}", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
		"get-vanilla-query-order-key-case": {"{path: '/?Param2=value2&Param1=value1', " + exampleAuth + "}", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
	} {
		c2 := config("https://example.amazonaws.com", parse(t, c.request))
		c2.Now = exampleInstant
		got := made(t, c2, 0)
		want := "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=" + c.signature + "\r\n"
		if !strings.Contains(got, want) || !strings.Contains(got, "X-Amz-Date: 20150830T123600Z\r\n") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A server that recomputes the signature from the bytes on the wire agrees.
func TestSignedOnTheWire(t *testing.T) {
	t.Parallel()
	c := config("https://h.test:8443", parse(t, "{method: PUT, path: '/a/b?z=1&a={{index}}', headers: ['x-one:  two   three', 'Content-Type: text/plain'], body: '{{random.30}}', "+exampleAuth+"}"))
	c.Now = exampleInstant
	var last string
	for index := range uint64(3) {
		text := made(t, c, index)
		claimed, computed := verify(t, text)
		if claimed != computed || claimed == last {
			t.Errorf("request %d: signature %s, recomputed %s, the one before %s\n%s", index, claimed, computed, last, text)
		}
		last = claimed
	}
}

// verify recomputes a signature by the specification, from the text alone.
func verify(t *testing.T, text string) (claimed, computed string) {
	t.Helper()
	head, body, _ := strings.Cut(text, "\r\n\r\n")
	method, target, headers := headersOf(head)
	_, authorization, _ := strings.Cut(headers.Get("Authorization"), "SignedHeaders=")
	names, claimed, ok := strings.Cut(authorization, ", Signature=")
	if !ok {
		t.Fatalf("no signature in %q", text)
	}
	path, query, _ := strings.Cut(target, "?")
	pairs := strings.Split(query, "&")
	slices.Sort(pairs)
	var canonical strings.Builder
	fmt.Fprintf(&canonical, "%s\n%s\n%s\n", method, path, strings.Join(pairs, "&"))
	for name := range strings.SplitSeq(names, ";") {
		fmt.Fprintf(&canonical, "%s:%s\n", name, strings.Join(strings.Fields(headers.Get(name)), " "))
	}
	hash := func(s string) string { sum := sha256.Sum256([]byte(s)); return hex.EncodeToString(sum[:]) }
	fmt.Fprintf(&canonical, "\n%s\n%s", names, hash(body))
	const scope = "20150830/us-east-1/service/aws4_request"
	toSign := "AWS4-HMAC-SHA256\n20150830T123600Z\n" + scope + "\n" + hash(canonical.String())
	key := []byte("AWS4" + exampleKey)
	for part := range strings.SplitSeq(scope, "/") {
		key = mac(key, part)
	}
	key = mac(key, toSign)
	return claimed, hex.EncodeToString(key)
}

func mac(key []byte, message string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(message))
	return h.Sum(nil)
}

// A request that is always the same is signed once a second.
func TestSignedOnceASecond(t *testing.T) {
	now := exampleInstant()
	c := config("https://h", parse(t, "{"+exampleAuth+"}"))
	c.Now = func() time.Time { return now }
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	source := s.Sources()
	first := string(source.Request(transport.Ticket{}).Bytes)
	now = now.Add(999 * time.Millisecond)
	if n := testing.AllocsPerRun(100, func() { source.Request(transport.Ticket{}) }); n != 0 {
		t.Errorf("%v allocations a request within a second", n)
	}
	if again := string(source.Request(transport.Ticket{}).Bytes); again != first {
		t.Errorf("signed again within a second:\n%s\n%s", first, again)
	}
	now = now.Add(time.Millisecond)
	if next := string(source.Request(transport.Ticket{}).Bytes); next == first || !strings.Contains(next, "20150830T123601Z") {
		t.Errorf("not signed again after a second: %s", next)
	}
}

func TestSessionTokenAndS3(t *testing.T) {
	t.Parallel()
	c := config("https://b.s3.test", parse(t, "{path: /a%20b, auth: {sigv4: {service: s3, region: eu-1, access_key: A, secret_key: '${TOKEN}', session_token: '${TOKEN}'}}}"))
	got := made(t, c, 0)
	for _, want := range []string{"X-Amz-Security-Token: hunter2\r\n", "X-Amz-Content-Sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\r\n", "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}
