package client

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/valyala/fasthttp"
)

// tunnelLimit is the most of a proxy's header that is read, in bytes.
const tunnelLimit = 16 << 10

// tunnelRequest asks for a tunnel to authority, a host:port.
func tunnelRequest(authority string, user *url.Userinfo) []byte {
	b := fmt.Appendf(nil, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n", authority, authority)
	if user != nil {
		password, _ := user.Password()
		pair := user.Username() + ":" + password
		b = fmt.Appendf(b, "Proxy-Authorization: Basic %s\r\n", base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	return append(b, "\r\n"...)
}

// tunnel asks the proxy on the other end for one. What comes after its answer
// belongs to the target, which speaks second; a byte of it now is a fault.
func tunnel(rw io.ReadWriter, request []byte) error {
	if _, err := rw.Write(request); err != nil {
		return err
	}
	reader := bufio.NewReaderSize(rw, tunnelLimit)
	var header fasthttp.ResponseHeader
	if err := header.Read(reader); err != nil {
		return err
	}
	if status := header.StatusCode(); status/100 != 2 {
		return fmt.Errorf("refused with status %d %s", status, header.StatusMessage())
	}
	if reader.Buffered() > 0 {
		return errors.New("bytes after the tunnel was granted")
	}
	return nil
}
